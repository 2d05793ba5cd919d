"""Pure text work: folding, id encoding, shingles, sentence ends, quoting, statements."""
