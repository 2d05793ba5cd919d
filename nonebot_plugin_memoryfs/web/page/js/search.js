// Finding what was said, in every conversation.

import { api } from "./api.js";
import { el } from "./dom.js";
import { to } from "./routes.js";
import { empty, fill } from "./states.js";
import { when } from "./time.js";

export function searchSheet(leaf, status, query, signal) {
  const asked = query.get("q") ?? "";
  const field = el("input", { class: "field", type: "search", name: "q", maxlength: "200", placeholder: "搜大家说过的话", "aria-label": "搜大家说过的话", value: asked });
  const found = el("div");
  const submit = (event) => {
    event.preventDefault();
    location.hash = to("memory/search", { q: field.value.trim() });
  };
  const form = el("form", { class: "search-box", role: "search", onsubmit: submit }, field, el("button", { class: "button primary" }, "搜索"));
  leaf.append(el("div", { class: "sheet" }, form, found));
  if (!asked) {
    found.append(empty("搜原话", "在所有会话里找，按词匹配，最相关的在前。只有管理员能这样看。", { picture: "search" }));
    field.focus();
    return;
  }
  const load = () => api.get("search", { q: asked, character_id: status.character_id }, signal);
  fill(found, load, ({ lines }) => lines.length
    ? el("ol", { class: "items" }, ...lines.map((line) => lineItem(line, asked, status.character_id)))
    : empty("没有人这样说过", "换个词试试。", { picture: "search" }), signal);
}

function lineItem(line, asked, character) {
  const there = line.turn_id && to("talks", { character, conversation: line.conversation_id, turn: line.turn_id });
  return el("li", { class: "item" }, el("div", {}, el("p", { class: "words" }, ...marked(line.text, asked)),
    el("p", { class: "meta" }, el("span", {}, line.speaker), el("span", {}, when(line.at)), el("span", {}, line.place), there && el("a", { href: there }, "看那时的对话"))));
}

/** The text with the words asked for marked. */
function marked(text, asked) {
  const words = asked.split(/[\s,，、;；]+/).filter(Boolean);
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  return text.split(new RegExp(`(${pattern})`, "gi")).map((part, n) => (n % 2 ? el("mark", {}, part) : part));
}
