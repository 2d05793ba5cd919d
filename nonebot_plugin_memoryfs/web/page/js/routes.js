// Where one is, in the part of the address behind `#`: `#/memory/files?path=…`.

/** The place now: its segments and what it asks for. */
export function here() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { place: path.split("/").filter(Boolean), query: new URLSearchParams(query) };
}

/** The address of a place. */
export function to(place, query = {}) {
  const text = new URLSearchParams(query).toString();
  return `#/${place}${text ? `?${text}` : ""}`;
}
