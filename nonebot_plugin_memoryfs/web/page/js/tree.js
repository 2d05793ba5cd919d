// The tree of memory, one directory at a time, for the keyboard as for the mouse (the ARIA tree pattern).

import { api } from "./api.js";
import { el, icon } from "./dom.js";
import { empty } from "./states.js";
import { treeKeys } from "./tree_keys.js";

const ROOT = "characters/";
const AT_ONCE = 200;
const PICTURES = { directory: "folder", file: "file", facts: "facts" };

export function treeOf(status, open, signal) {
  const wanted = new Set();
  let selected = "";
  const tree = el("ul", { class: "tree", role: "tree", "aria-label": "记忆文件" });
  const field = el("input", { class: "field", type: "search", maxlength: "200", placeholder: "找人或文件", "aria-label": "找人或文件" });
  const element = el("div", {}, field, tree);

  async function children(list, under, offset = 0) {
    const level = under.split("/").length - 1;
    const asked = (list.asked = Symbol("asked"));
    const { nodes, total } = await api.get("tree", { under, offset, limit: AT_ONCE }, signal);
    if (list.asked !== asked) return;
    if (!offset) list.replaceChildren();
    list.append(...nodes.map((node) => itemOf(node, level)));
    if (!total) list.append(el("li", { role: "none", class: "note" }, "还什么都没有"));
    const left = total - offset - nodes.length;
    if (left > 0) list.append(moreOf(list, under, offset + nodes.length, left, level));
    tabStop();
  }

  /** People and files anywhere, instead of the directories. */
  async function found(q) {
    const asked = (tree.asked = Symbol("asked"));
    const { nodes, total } = await api.get("find", { q, limit: AT_ONCE }, signal);
    if (tree.asked !== asked) return;
    const left = total - nodes.length;
    const note = total ? left > 0 && `还有 ${left} 个，再多写几个字` : "没有这样的人或文件";
    tree.replaceChildren(...nodes.map((node) => itemOf(node, 1, true)), note ? el("li", { role: "none", class: "note" }, note) : "");
    tabStop();
  }

  function itemOf(node, level, anywhere = false) {
    const leads = node.kind === "directory";
    const row = el("div", { class: `row ${node.kind}${anywhere ? " anywhere" : ""}` },
      leads ? icon("chevron", "chevron") : el("span", { class: "spacer" }),
      icon(PICTURES[node.kind]),
      el("span", { class: "name" }, node.name),
      node.label && el("span", { class: "label" }, node.label),
      anywhere && el("span", { class: "where" }, node.path.replace(/#facts$/, "").slice(ROOT.length)),
      node.files > 0 && el("span", { class: "count", title: `${node.files} 个文件` }, String(node.files)));
    const item = el("li", {
      role: "treeitem", tabindex: "-1", "aria-level": String(level), "aria-expanded": leads ? "false" : null,
      "aria-selected": leads ? null : String(node.path === selected), "data-path": node.path, title: node.path,
    }, row);
    row.addEventListener("click", () => {
      item.focus();
      activate(item);
    });
    if (leads && wanted.has(node.path)) expand(item);
    return item;
  }

  function moreOf(list, under, offset, left, level) {
    const row = el("div", { class: "row" }, el("span", { class: "spacer" }), `还有 ${left} 个…`);
    const item = el("li", { role: "treeitem", tabindex: "-1", "aria-level": String(level) }, row);
    const load = async () => {
      await children(list, under, offset);
      const next = item.nextElementSibling;
      item.remove();
      next?.focus();
    };
    item.load = load;
    row.addEventListener("click", load);
    return item;
  }

  async function expand(item) {
    wanted.add(item.dataset.path);
    item.setAttribute("aria-expanded", "true");
    let group = item.querySelector(":scope > [role=group]");
    if (!group) {
      group = el("ul", { role: "group" }, el("li", { role: "none", class: "note" }, "…"));
      item.append(group);
    }
    try {
      await children(group, item.dataset.path);
    } catch (problem) {
      if (!signal.aborted) group.replaceChildren(el("li", { role: "none", class: "note" }, problem.message));
    }
  }

  function collapse(item) {
    wanted.delete(item.dataset.path);
    item.setAttribute("aria-expanded", "false");
    item.querySelector(":scope > [role=group]")?.remove();
  }

  function activate(item) {
    if (item.load) item.load();
    else if (item.getAttribute("aria-expanded") === "true") collapse(item);
    else if (item.getAttribute("aria-expanded") === "false") expand(item);
    else open(item.dataset.path);
  }

  /** Exactly one item can be reached with Tab. */
  function tabStop(item = null) {
    const now = item ?? tree.querySelector('[tabindex="0"]') ?? itemAt(selected) ?? tree.querySelector("[role=treeitem]");
    for (const other of tree.querySelectorAll('[tabindex="0"]')) other.tabIndex = -1;
    if (now) now.tabIndex = 0;
  }

  function select(path) {
    itemAt(selected)?.setAttribute("aria-selected", "false");
    selected = path;
    itemAt(path)?.setAttribute("aria-selected", "true");
    const missing = parents(path).filter((parent) => !wanted.has(parent));
    missing.forEach((parent) => wanted.add(parent));
    if (missing.length) refresh();
  }

  function itemAt(path) {
    return path ? tree.querySelector(`[data-path="${CSS.escape(path)}"]`) : null;
  }

  function refresh() {
    const q = field.value.trim();
    return (q ? found(q) : children(tree, ROOT)).catch((problem) => {
      if (!signal.aborted) tree.replaceChildren(el("li", { role: "none" }, empty("没有读到目录", problem.message, { picture: "trouble" })));
    });
  }

  let typing = null;
  field.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(refresh, 200);
  });
  treeKeys(tree, { expand, collapse, activate, tabStop });
  wanted.add(`${ROOT}${status.character_id}/`).add(`${ROOT}${status.character_id}/users/`);
  refresh();
  return { element, select, refresh };
}

function parents(path) {
  const segments = path.split("/").slice(0, -1);
  return segments.slice(1).map((_, n) => `${segments.slice(0, n + 2).join("/")}/`);
}
