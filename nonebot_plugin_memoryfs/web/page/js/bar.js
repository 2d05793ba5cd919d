// Parts of a whole as one bar with its legend; the legend says it all, the bar is for the eye.

import { el } from "./dom.js";

const SERIES = 9;

export function stackedBar(label, parts) {
  const shown = parts.filter((part) => part.size > 0);
  if (!shown.length) return [];
  const series = (n) => `series-${Math.min(n + 1, SERIES)}`;
  const bar = el("div", { class: "bar", "aria-hidden": "true" });
  shown.forEach((part, n) => {
    const piece = el("span", { class: series(n), title: `${part.label} ${part.told}` });
    piece.style.flexGrow = part.size;
    bar.append(piece);
  });
  const legend = shown.map((part, n) => el("li", { class: series(n) }, part.label, el("b", {}, part.told)));
  return [bar, el("ul", { class: "legend", "aria-label": label }, ...legend)];
}
