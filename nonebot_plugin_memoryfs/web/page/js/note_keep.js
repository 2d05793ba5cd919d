// What a note has beside its words: a title, and how long it is kept.

import { el } from "./dom.js";

/** The fields for it, above and below the words, and what stands in them. */
export function keepOf({ title, type, expire_days }) {
  const called = el("input", { class: "field", maxlength: "200", placeholder: "标题（可以不写）", "aria-label": "标题", value: title });
  const kind = el("select", { class: "field", "aria-label": "留多久" }, el("option", { value: "long" }, "一直留着"), el("option", { value: "short" }, "到期就删"));
  kind.value = type;
  const days = el("input", { class: "field days", type: "number", min: "0", max: "36500", step: "1", required: true, "aria-label": "记下多少天后到期", value: String(expire_days) });
  const after = el("label", { class: "row" }, "记下", days, "天后");
  const tell = () => (after.hidden = kind.value === "long");
  kind.addEventListener("change", tell);
  tell();
  return {
    above: called,
    below: el("div", { class: "row keep" }, kind, after),
    values: () => ({ title: called.value.trim(), type: kind.value, expire_days: Number(days.value) }),
  };
}
