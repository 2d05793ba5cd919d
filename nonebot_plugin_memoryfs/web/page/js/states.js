// What stands where there is nothing to see: not yet, nothing, or something went wrong.

import { el, icon } from "./dom.js";

/** Still coming. */
export function loading(label = "正在读取") {
  return el("div", { class: "skeleton", role: "status", "aria-label": label }, el("span"), el("span"), el("span"));
}

/** Nothing there, and what to do about it. */
export function empty(title, text, { picture = "memory", action = null } = {}) {
  return el("div", { class: "state" }, icon(picture), el("h2", {}, title), el("p", {}, text), action);
}

/** It went wrong; trying again may help. */
export function failed(problem, again) {
  const button = el("button", { type: "button", class: "button", onclick: again }, "再试一次");
  return el("div", { class: "state", role: "alert" }, icon("trouble"), el("h2", {}, "没有读到"), el("p", {}, problem.message), button);
}

/** Show what a promise brings in a place: loading, then the content, or why there is none. */
export async function fill(place, load, show, signal) {
  place.replaceChildren(loading());
  try {
    const data = await load();
    if (!signal?.aborted) place.replaceChildren(...[show(data)].flat());
  } catch (problem) {
    if (signal?.aborted || problem.name === "AbortError") return;
    place.replaceChildren(failed(problem, () => fill(place, load, show, signal)));
  }
}
