// A word about what was done, with a way back for a while.

import { el } from "./dom.js";

const STAYS = 8000;

/** Say it; `undo` takes it back. */
export function toast(text, undo = null) {
  const note = el("div", { class: "toast" }, el("p", {}, text));
  if (undo) {
    const take = async () => {
      note.remove();
      try {
        await undo();
      } catch (problem) {
        complain(problem);
      }
    };
    note.append(el("button", { type: "button", onclick: take }, "撤销"));
  } else {
    note.classList.add("plain");
  }
  show(note);
}

/** Say what went wrong. */
export function complain(problem) {
  show(el("div", { class: "toast bad", role: "alert" }, el("p", {}, problem.message)));
}

/** Take it away: one has gone elsewhere. */
export function dismiss() {
  document.getElementById("toasts").replaceChildren();
}

function show(note) {
  document.getElementById("toasts").replaceChildren(note);
  const leave = () => {
    if (note.matches(":hover, :focus-within")) setTimeout(leave, 1000);
    else note.remove();
  };
  setTimeout(leave, STAYS);
}
