"""Long-term memory for NoneBot2 chatbots."""
