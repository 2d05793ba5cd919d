// The panel that tells why a reply is what it is. Esc closes it and goes back to where one was.

import { api } from "./api.js";
import { el, iconButton } from "./dom.js";
import { fill } from "./states.js";
import { storyOf } from "./why_story.js";

export function whyPanel(chat, signal) {
  let asked = null;
  let panel = null;

  function close() {
    panel?.remove();
    panel = null;
    chat.classList.remove("explaining");
    asked?.setAttribute("aria-expanded", "false");
    asked?.focus();
    asked = null;
  }

  function open(turnId, button) {
    const again = asked === button;
    if (asked) close();
    if (again) return;
    asked = button;
    button.setAttribute("aria-expanded", "true");
    const body = el("div", { class: "why-body" });
    const shut = iconButton("close", "关闭（Esc）", close);
    panel = el("aside", { class: "why", "aria-label": "为什么这么回答" },
      el("div", { class: "why-head" }, el("h2", {}, "为什么这么回答"), shut), body);
    panel.addEventListener("keydown", (event) => event.key === "Escape" && close());
    chat.append(panel);
    chat.classList.add("explaining");
    shut.focus();
    fill(body, () => api.get(`turns/${turnId}/why`, {}, signal), storyOf, signal);
  }

  document.addEventListener("keydown", (event) => event.key === "Escape" && panel && close(), { signal });
  return { open };
}
