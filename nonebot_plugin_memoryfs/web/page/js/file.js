// One memory file: its entries, correcting them, and what it used to be.

import { api } from "./api.js";
import { el, icon } from "./dom.js";
import { itemOf } from "./item.js";
import { empty, fill } from "./states.js";
import { timeOf } from "./time.js";
import { complain, toast } from "./toast.js";
import { pastOf } from "./versions.js";
import { watch } from "./watch.js";

export function fileSheet(sheet, path, signal, changed) {
  let file = null;
  const load = () => api.get("entries", { path }, signal);

  function show(data) {
    file = data;
    const items = file.entries.map(entryItem).reverse();
    const list = items.length
      ? el("ol", { class: "items", "aria-label": "条目，最新的在前" }, ...items)
      : empty(file.version ? "这个文件是空的" : "这个文件已经删除", file.version ? "条目都删掉了，还可以从旧版恢复。" : "旧版还在，可以恢复。", { picture: "file" });
    return [headOf(), list, pastOf(file, restore, signal)];
  }

  function refresh(data) {
    if (!signal.aborted) sheet.replaceChildren(...show(data));
  }

  function headOf() {
    const injects = file.injects_to_prompt ? el("span", { class: "pill accent" }, "会写进提示词") : el("span", { class: "pill" }, "不写进提示词");
    const undo = el("button", { type: "button", class: "button quiet", onclick: () => restore(null).catch(complain) }, icon("undo"), "撤销上次改动");
    const gone = el("button", { type: "button", class: "button quiet danger", onclick: removeFile }, icon("remove"), "删除文件");
    return el("header", { class: "sheet-head" },
      el("div", { class: "title" }, el("h2", {}, file.title || file.category_label), injects,
        el("div", { class: "actions" }, file.former_versions > 0 && undo, file.version > 0 && gone)),
      el("p", { class: "path" }, path),
      file.version > 0 && el("p", { class: "meta" }, `${file.entries.length} 条 · 第 ${file.version} 版 · `, timeOf(file.updated_at, el)));
  }

  function entryItem(entry) {
    const number = entry.number;
    let tag = entry.tag;
    return itemOf({
      words: [entry.text],
      text: entry.text,
      label: entry.text.slice(0, 20),
      meta: [entry.at && timeOf(entry.at, el), entry.place, entry.people.length > 0 && entry.people.join("、")],
      save: async (text) => {
        refresh(await api.put("entries", { path, number, tag, text }));
        toast("已更正", () => restore(null));
      },
      remove: async () => {
        try {
          refresh(await api.delete("entries", { path, number, tag }));
          toast("已删除", () => restore(null));
        } catch (problem) {
          complain(problem);
          if (problem.outdated) refresh(await load());
        }
      },
      current: async () => {
        const now = (await load()).entries.find((other) => other.number === number);
        if (!now) return null;
        tag = now.tag;
        return now.text;
      },
    });
  }

  async function restore(version) {
    refresh(await api.post("restore", { path, version, expected: file.version }));
    changed();
    toast("已恢复");
  }

  async function removeFile() {
    try {
      refresh(await api.delete("file", { path, version: file.version }));
      changed();
      toast("已删除文件", () => restore(null));
    } catch (problem) {
      complain(problem);
    }
  }

  fill(sheet, load, show, signal);
  watch(sheet, load, (data) => file && data.version !== file.version && refresh(data), signal);
}
