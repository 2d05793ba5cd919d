// Something remembered in a list: its words, its circumstances, correcting it, taking it out.

import { el, grow, iconButton } from "./dom.js";

const LONG = 400;

/**
 * @param words what it says: elements or texts.
 * @param meta its circumstances, in order.
 * @param text what one corrects.
 * @param save gives the corrected text away; throws a `Problem`.
 * @param remove takes it out.
 * @param current tells what it says now, when it has changed elsewhere.
 * @param around what else stands in the editor: `{ above, below, values }`, made when it opens; `values()` goes to `save`.
 */
export function itemOf({ words, meta, text, label, save, remove, current, around = () => ({}) }) {
  const item = el("li", { class: "item" });
  const told = el("div", { class: "words" }, ...words);
  const body = el("div", {}, told, el("p", { class: "meta" }, ...meta.filter(Boolean).map((part) => el("span", {}, part))));
  if (text.length > LONG) body.insertBefore(unfolding(told), told.nextSibling);
  const edit = iconButton("edit", `更正：${label}`, () => begin());
  const tools = el("div", { class: "tools" }, edit, iconButton("remove", `删除：${label}`, remove, "danger"));
  item.append(body, tools);

  function begin() {
    item.replaceChildren(editorOf({ text, save, current, leave, ...around() }));
    item.dataset.editing = "";
    const field = item.querySelector("textarea");
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  }

  function leave() {
    delete item.dataset.editing;
    item.replaceChildren(body, tools);
    edit.focus();
  }

  return item;
}

function unfolding(told) {
  told.classList.add("long");
  const button = el("button", { type: "button", class: "unfold", "aria-expanded": "false" }, "展开全文");
  button.addEventListener("click", () => {
    const folded = told.classList.toggle("long");
    button.textContent = folded ? "展开全文" : "收起";
    button.setAttribute("aria-expanded", String(!folded));
  });
  return button;
}

function editorOf({ text, save, current, leave, above = null, below = null, values = () => ({}) }) {
  const field = grow(el("textarea", { class: "field", rows: "1", "aria-label": "更正为" }, text));
  field.value = text;
  const notice = el("div", { class: "conflict", role: "alert", hidden: true });
  const button = el("button", { type: "submit", class: "button primary" }, "保存");
  const before = JSON.stringify(values());

  async function submit(event) {
    event?.preventDefault();
    const corrected = field.value.trim();
    if (!corrected || (corrected === text && JSON.stringify(values()) === before)) return leave();
    button.disabled = true;
    try {
      await save(corrected, values());
    } catch (problem) {
      await explain(problem);
    } finally {
      button.disabled = false;
    }
  }

  async function explain(problem) {
    notice.hidden = false;
    if (!problem.outdated) return notice.replaceChildren(problem.message);
    const now = await current().catch(() => null);
    if (now === null) notice.replaceChildren(el("b", {}, "它在别处被删掉了，没有保存。"));
    else notice.replaceChildren(el("b", {}, "它刚在别处改过，没有覆盖。"), "现在是：", el("q", {}, now), "。再点保存，就换成你写的。");
  }

  const keys = (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      leave();
    } else if (event.target === field && event.key === "Enter" && !event.shiftKey && !event.isComposing) submit(event);
  };
  return el("form", { class: "editor", onsubmit: submit, onkeydown: keys }, above, field, below, notice,
    el("div", { class: "row" }, button,
      el("button", { type: "button", class: "button quiet", onclick: leave }, "取消"),
      el("span", { class: "meta keys" }, "Enter 保存，Esc 取消")));
}
