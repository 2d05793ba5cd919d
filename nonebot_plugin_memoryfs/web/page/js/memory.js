// What is remembered: files and facts in a tree, prompts, and what was said.

import { el, icon } from "./dom.js";
import { factsSheet } from "./facts.js";
import { fileSheet } from "./file.js";
import { layersSheet } from "./layers.js";
import { notesSheet } from "./notes.js";
import { here, to } from "./routes.js";
import { searchSheet } from "./search.js";
import { empty } from "./states.js";
import { treeOf } from "./tree.js";

const TABS = { files: "记忆文件", layers: "提示词", notes: "便签", search: "搜原话" };
const SHEETS = { layers: layersSheet, notes: notesSheet, search: searchSheet };

export function memoryView(stage, status, signal) {
  const tabs = el("nav", { class: "tabs", "aria-label": "看什么" });
  const content = el("div", { class: "shelf-place memory" });
  stage.append(el("div", { class: "memory" }, el("div", { class: "memory-head" }, el("h1", {}, "记忆"), tabs), content));
  const files = filesView(status, signal);
  let current = null;
  let leave = null;

  function show() {
    const { place, query } = here();
    const name = place[1] in TABS ? place[1] : "files";
    tabs.replaceChildren(...Object.entries(TABS).map(([tab, label]) =>
      el("a", { href: to(`memory/${tab}`), "aria-current": tab === name ? "page" : null }, label)));
    if (name === "files") {
      if (current !== name) content.replaceChildren(files.element);
      files.open(query.get("path") ?? "");
    } else {
      leave?.abort();
      leave = new AbortController();
      signal.addEventListener("abort", () => leave.abort(), { once: true });
      const leaf = el("div", { class: "leaf" });
      content.replaceChildren(leaf);
      SHEETS[name](leaf, status, query, leave.signal);
    }
    current = name;
  }

  addEventListener("moved", show, { signal });
  show();
}

function filesView(status, signal) {
  const leaf = el("div", { class: "leaf" });
  const tree = treeOf(status, (path) => (location.hash = to("memory/files", { path })), signal);
  const element = el("div", { class: "shelf" }, el("div", { class: "index" }, tree.element), leaf);
  let leave = null;

  function open(path) {
    leave?.abort();
    leave = new AbortController();
    signal.addEventListener("abort", () => leave.abort(), { once: true });
    element.classList.toggle("open", Boolean(path));
    tree.select(path);
    if (!path) {
      leaf.replaceChildren(empty("打开左边的文件看看", "每个人下面的“事实”是聊天里记住的；.md 是整理出来的记忆文件。", { picture: "file" }));
      return;
    }
    const back = el("a", { class: "button quiet back", href: to("memory/files") }, icon("back"), "目录");
    const sheet = el("div", { class: "sheet" });
    leaf.replaceChildren(back, sheet);
    leaf.scrollTop = 0;
    if (path.endsWith("#facts")) factsSheet(sheet, path, leave.signal);
    else fileSheet(sheet, path, leave.signal, tree.refresh);
  }

  return { element, open };
}
