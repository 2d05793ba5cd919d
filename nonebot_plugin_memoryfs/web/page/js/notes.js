// Notes: what the character is to keep in mind about a person or a group, for ever or for a while.

import { api } from "./api.js";
import { el, grow, icon } from "./dom.js";
import { itemOf } from "./item.js";
import { keepOf } from "./note_keep.js";
import { restOf } from "./rest.js";
import { empty, fill, loading } from "./states.js";
import { timeLeft, timeOf } from "./time.js";
import { complain, toast } from "./toast.js";
import { watch } from "./watch.js";

const AT_ONCE = 100;
const KINDS = { "": "全部", long: "一直留着的", short: "会到期的" };
const AS_IT_WAS = ["target_id", "title", "summary", "content", "character_name", "conversation_id", "source_event_id", "type", "expire_days", "created_at"];

export function notesSheet(leaf, status, query, signal) {
  const list = el("div", { class: "sheet" }, loading());
  const search = el("input", { class: "field", type: "search", maxlength: "200", placeholder: "找便签：内容、标题或号码", "aria-label": "找便签" });
  const kind = el("select", { class: "field", "aria-label": "哪些便签" }, ...Object.entries(KINDS).map(([value, label]) => el("option", { value }, label)));
  const begin = el("button", { type: "button", class: "button", "aria-expanded": "false", onclick: () => writing(place.firstElementChild.hidden) }, icon("edit"), "写一张");
  const place = el("div", { class: "writing" });
  let shown = [];
  let total = 0;
  const load = (offset = 0, limit = AT_ONCE) =>
    api.get("notes", { offset, limit, find: search.value.trim() || null, type: kind.value || null }, signal);
  const reload = () => load(0, Math.min(500, Math.max(AT_ONCE, shown.length)));

  function show(data) {
    shown = data.notes;
    total = data.total;
    if (!shown.length) return [nothing()];
    const items = el("ol", { class: "items", "aria-label": "便签，最新的在前" }, ...shown.map(noteItem));
    return [el("p", { class: "meta" }, `${total} 张`), items, restOf(() => total - shown.length, AT_ONCE, () => more(items))];
  }

  function nothing() {
    if (search.value.trim() || kind.value) return empty("没有这样的便签", "换个词，或看看全部。", { picture: "search" });
    return empty("还没有便签", "写一张，角色和这个人、这个群说话时会看到。", { picture: "kept" });
  }

  async function refresh() {
    const data = await reload();
    if (!signal.aborted) list.replaceChildren(...show(data));
  }

  async function more(items) {
    const { notes } = await load(shown.length);
    shown = [...shown, ...notes];
    items.append(...notes.map(noteItem));
  }

  function noteItem(note) {
    let tag = note.tag;
    const change = async (fields, expected) => {
      const now = await api.put("notes", { id: note.id, tag: expected, ...fields });
      await refresh();
      return now.tag;
    };
    return itemOf({
      words: [note.title && el("b", { class: "note-title" }, note.title), note.content].filter(Boolean),
      text: note.content,
      label: note.title || note.content.slice(0, 20),
      meta: [el("span", { class: "pill" }, targetOf(note.target_id)), endOf(note), timeOf(note.created_at, el), note.conversation_id && `${note.place}里说的`, note.character_name && `只给${note.character_name}`],
      around: () => keepOf(note),
      save: async (content, values) => {
        const { title, type, expire_days, content: was } = note;
        const changed = await change({ content, ...values }, tag);
        toast("已更正", () => change({ title, type, expire_days, content: was }, changed));
      },
      remove: async () => {
        try {
          await api.delete("notes", { id: note.id, tag });
          await refresh();
          toast("已删除", async () => {
            await api.post("notes", Object.fromEntries(AS_IT_WAS.map((name) => [name, note[name]])));
            await refresh();
          });
        } catch (problem) {
          complain(problem);
          if (problem.outdated) await refresh();
        }
      },
      current: async () => {
        const now = (await reload()).notes.find((other) => other.id === note.id);
        if (!now) return null;
        tag = now.tag;
        return now.content;
      },
    });
  }

  function formOf() {
    const whose = el("select", { class: "field", "aria-label": "给谁" }, el("option", { value: "user" }, "某个人"), el("option", { value: "group" }, "某个群"));
    const number = el("input", { class: "field", placeholder: "QQ 号或群号", "aria-label": "号码", maxlength: "100", required: true });
    const text = grow(el("textarea", { class: "field", rows: "2", maxlength: "8000", required: true, placeholder: "例如：周五一起看球", "aria-label": "便签内容" }));
    const { above, below, values } = keepOf({ title: "", type: "long", expire_days: 7 });
    const form = el("form", { class: "form", hidden: true }, el("h3", {}, "新的便签"),
      el("div", { class: "row" }, whose, number), above, text, below,
      el("div", { class: "row" }, el("button", { class: "button primary" }, "添上"),
        el("button", { type: "button", class: "button quiet", onclick: () => writing(false) }, "取消")));
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      try {
        await api.post("notes", { target_id: `${whose.value}_${number.value.trim()}`, content: text.value, ...values() });
        place.replaceChildren(formOf());
        writing(false);
        search.value = kind.value = "";
        await refresh();
        toast("已添上");
      } catch (problem) {
        complain(problem);
      }
    });
    return form;
  }

  /** Show the form, or put it away. */
  function writing(begun) {
    place.firstElementChild.hidden = !begun;
    begin.setAttribute("aria-expanded", String(begun));
    if (begun) place.querySelector("input").focus();
    else begin.focus();
  }

  let typing = null;
  const again = () => refresh().catch((problem) => !signal.aborted && complain(problem));
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(again, 200);
  });
  kind.addEventListener("change", again);
  place.append(formOf());
  leaf.append(el("div", { class: "sheet" },
    el("header", { class: "sheet-head" }, el("div", { class: "title" }, el("h2", {}, "便签"), el("div", { class: "actions" }, begin)),
      el("p", { class: "hint" }, "写给一个人或一个群，和 TA 说话时会看到。写给人的算 TA 的私聊，别处看不到；到期的自己消失。")),
    place, el("div", { class: "filters" }, search, kind), list));
  const same = ({ notes, total: now }) => now === total && notes[0]?.tag === shown[0]?.tag;
  fill(list, () => load(), show, signal);
  watch(list, () => load(), (data) => !same(data) && refresh().catch(() => {}), signal);
}

function targetOf(target) {
  const [kind, ...id] = target.split("_");
  return { user: `用户 ${id.join("_")}`, group: `群 ${id.join("_")}` }[kind] ?? "没写给谁，不会用";
}

function endOf(note) {
  if (!note.ends_at) return "一直留着";
  const soon = new Date(note.ends_at) - new Date() < 24 * 60 * 60 * 1000;
  return el("span", { class: `pill ${soon ? "warm" : ""}`, title: `${new Date(note.ends_at).toLocaleString("zh-CN")} 到期` }, `${timeLeft(note.ends_at)}到期`);
}
