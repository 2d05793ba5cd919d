// Elements made of text and nothing else: no markup is ever taken, so nothing stored can become any.

const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  chat: "M21 12a8 8 0 0 1-8 8H4l2-3a8 8 0 1 1 15-5Z",
  talks: "M3 5h13v9H9l-4 3v-3H3V5ZM19 9h2v9h-2v3l-4-3h-4",
  leave: "M14 4h5v16h-5M4 12h10M8 8l-4 4 4 4",
  memory: "M4 6h16M4 12h10M4 18h13M19 12h.01",
  why: "M9.5 9.2a2.6 2.6 0 1 1 3.6 2.4c-.8.4-1.1.9-1.1 1.9M12 16.6v.01M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z",
  send: "M12 19V5M6 11l6-6 6 6",
  close: "M6 6l12 12M18 6 6 18",
  edit: "M4 20h4L19 9l-4-4L4 16v4ZM13 7l4 4",
  remove: "M4 7h16M10 11v6M14 11v6M6 7l1 13h10l1-13M9 7V4h6v3",
  undo: "M4 9h10a5 5 0 0 1 0 10h-4M4 9l4-4M4 9l4 4",
  chevron: "M9 6l6 6-6 6",
  folder: "M3 7a2 2 0 0 1 2-2h4l2 2h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7Z",
  file: "M6 3h8l4 4v14H6V3ZM14 3v4h4M9 12h6M9 16h4",
  facts: "M12 4v4M12 16v4M4 12h4M16 12h4M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z",
  kept: "M6 4h12v16l-6-4-6 4V4Z",
  done: "M5 12.5l4.5 4.5L19 7.5",
  back: "M15 6l-6 6 6 6",
  trouble: "M12 8v5M12 16.5v.01M10.3 4.3 2.8 17.5A2 2 0 0 0 4.5 20.5h15a2 2 0 0 0 1.7-3L13.7 4.3a2 2 0 0 0-3.4 0Z",
  search: "M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14ZM20 20l-4-4",
};

/** An element with attributes, listeners (`onclick`) and children: elements, texts, or nothing. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** A decorative icon. */
export function icon(name, className = "") {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", `icon ${className}`);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A button that shows an icon and is called by its label. */
export function iconButton(name, label, onclick, className = "") {
  return el("button", { type: "button", class: `icon-button ${className}`, "aria-label": label, title: label, onclick }, icon(name));
}

/** Let a text field be as high as its text. */
export function grow(area) {
  const fit = () => {
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`;
  };
  area.addEventListener("input", fit);
  requestAnimationFrame(fit);
  return area;
}
