// Where one writes: Enter sends, Shift+Enter begins a new line.

import { el, grow, icon } from "./dom.js";

export function composer(say) {
  const field = grow(el("textarea", { rows: "1", "aria-label": "说点什么", placeholder: "说点什么…", maxlength: "8000", enterkeyhint: "send", "aria-describedby": "composer-keys" }));
  const button = el("button", { type: "submit", class: "send", "aria-label": "发送", disabled: true }, icon("send"));

  function submit(event) {
    event.preventDefault();
    const text = field.value.trim();
    if (!text) return;
    field.value = "";
    field.dispatchEvent(new Event("input"));
    say(text);
  }

  field.addEventListener("input", () => (button.disabled = !field.value.trim()));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  });
  const keys = el("p", { class: "meta", id: "composer-keys" }, "Enter 发送，Shift+Enter 换行");
  const element = el("form", { class: "composer", onsubmit: submit }, el("div", { class: "box" }, field, button), keys);
  return { element, focus: () => field.focus() };
}
