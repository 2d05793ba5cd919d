// The layers of the base prompt: what the character is told before anything else.

import { api } from "./api.js";
import { el, grow } from "./dom.js";
import { itemOf } from "./item.js";
import { fill } from "./states.js";
import { timeOf } from "./time.js";
import { complain, toast } from "./toast.js";

const LEVELS = { user: "某个人", group: "某个群", default: "默认" };

export function layersSheet(leaf, status, query, signal) {
  const sheet = el("div", { class: "sheet" });
  leaf.append(sheet);
  const load = () => api.get("layers", {}, signal);
  const refresh = (data) => !signal.aborted && sheet.replaceChildren(...show(data));

  function show({ layers, card }) {
    return [
      el("header", { class: "sheet-head" }, el("h2", {}, "提示词"),
        el("p", { class: "hint" }, "先看这个人的，没有就看本群的，再看默认的；都没有，用角色卡。改了下一句就生效。")),
      layers.length > 0 && el("ul", { class: "items" }, ...layers.map(layerItem)),
      formOf(layers),
      el("details", { class: "past", open: layers.length === 0 }, el("summary", {}, "角色卡的设定（只读）"), el("p", { class: "hint" }, card)),
    ].filter(Boolean);
  }

  function layerItem(layer) {
    let expected = layer.content;
    const name = nameOf(layer);
    const put = (content, was) => api.put("layers", { level: layer.level, target_id: layer.target_id, content, expected: was });
    return itemOf({
      words: [layer.content],
      text: layer.content,
      label: name,
      meta: [el("span", { class: "pill" }, name), timeOf(layer.updated_at, el)],
      save: async (content) => {
        refresh(await put(content, expected));
        toast("已更正", async () => refresh(await put(layer.content, content)));
      },
      remove: async () => {
        try {
          refresh(await api.delete("layers", { level: layer.level, target_id: layer.target_id, expected }));
          toast("已清除", async () => refresh(await put(layer.content, "")));
        } catch (problem) {
          complain(problem);
        }
      },
      current: async () => {
        const now = (await load()).layers.find((other) => other.level === layer.level && other.target_id === layer.target_id);
        expected = now?.content ?? "";
        return now ? now.content : null;
      },
    });
  }

  function formOf(layers) {
    const level = el("select", { class: "field", "aria-label": "给谁" }, ...Object.entries(LEVELS).map(([value, label]) => el("option", { value }, label)));
    const target = el("input", { class: "field", placeholder: "QQ 号或群号", "aria-label": "号码" });
    const text = grow(el("textarea", { class: "field", rows: "3", maxlength: "8000", placeholder: "例如：说话短一点，别用表情。", "aria-label": "提示词" }));
    level.addEventListener("change", () => (target.hidden = level.value === "default"));
    async function add(event) {
      event.preventDefault();
      const taken = layers.find((layer) => layer.level === level.value && layer.target_id === (level.value === "default" ? "" : target.value.trim()));
      if (taken) return complain(new Error(`${nameOf(taken)}已经有提示词了，请在上面改。`));
      try {
        refresh(await api.put("layers", { level: level.value, target_id: level.value === "default" ? "" : target.value, content: text.value, expected: "" }));
        toast("已设置");
      } catch (problem) {
        complain(problem);
      }
    }
    return el("form", { class: "form", onsubmit: add }, el("h3", {}, "新的一层"),
      el("div", { class: "row" }, level, target), text,
      el("div", { class: "row" }, el("button", { class: "button primary" }, "设置")));
  }

  fill(sheet, load, show, signal);
}

function nameOf(layer) {
  if (layer.level === "default") return "默认";
  return `${layer.level === "user" ? "用户" : "群"} ${layer.target_id}`;
}
