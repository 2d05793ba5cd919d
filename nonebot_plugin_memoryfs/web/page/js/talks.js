// Every conversation of every character: what was said there, and why it was answered so.

import { api } from "./api.js";
import { el, icon } from "./dom.js";
import { turnOf } from "./message.js";
import { restOf } from "./rest.js";
import { here, to } from "./routes.js";
import { empty, fill } from "./states.js";
import { talkLog } from "./talk_log.js";
import { when } from "./time.js";
import { watch } from "./watch.js";
import { whyPanel } from "./why.js";

const AT_ONCE = 50;

export function talksView(stage, status, signal) {
  const field = el("input", { class: "field", type: "search", maxlength: "200", placeholder: "找会话：号码", "aria-label": "找会话" });
  const index = el("div", { class: "talks" });
  const place = el("div", { class: "chat" });
  const shelf = el("div", { class: "shelf" }, el("div", { class: "index" }, field, index), place);
  stage.append(el("div", { class: "memory" }, el("div", { class: "memory-head only" }, el("h1", {}, "会话")), shelf));
  let shown = [];
  let total = 0;
  let leave = null;
  const load = (offset = 0, limit = AT_ONCE) => api.get("conversations", { offset, limit, find: field.value.trim() || null }, signal);

  function show(data) {
    shown = data.conversations;
    total = data.total;
    if (!total) return [nothing()];
    const list = el("ul", { "aria-label": "会话，最近的在前" }, ...shown.map(talkItem));
    return [list, restOf(() => total - shown.length, AT_ONCE, async () => {
      const { conversations } = await load(shown.length);
      shown = [...shown, ...conversations];
      list.append(...conversations.map(talkItem));
    })];
  }

  function nothing() {
    if (field.value.trim()) return empty("没有这样的会话", "按 QQ 号或群号找。", { picture: "search" });
    return empty("还没有人说过话", "接上 QQ，或者在“聊天”里说一句。", { picture: "chat" });
  }

  function talkItem({ character_id, character, conversation_id, label, last }) {
    const link = el("a", { href: to("talks", { character: character_id, conversation: conversation_id }) },
      el("span", { class: "title" }, el("b", {}, label), character_id !== status.character_id && el("span", { class: "pill" }, character), el("time", { datetime: last.at }, when(last.at))),
      el("span", { class: "last" }, `${last.speaker}：${last.said || "（叫了一声）"}`));
    mark(link);
    return el("li", {}, link);
  }

  /** Tell the conversation that is open from the others. */
  function mark(link) {
    const [its, now] = [new URLSearchParams(link.hash.split("?")[1]), here().query];
    const open = ["conversation", "character"].every((name) => its.get(name) === now.get(name));
    if (open) link.setAttribute("aria-current", "true");
    else link.removeAttribute("aria-current");
  }

  function open() {
    leave?.abort();
    leave = new AbortController();
    signal.addEventListener("abort", () => leave.abort(), { once: true });
    const { query } = here();
    const conversation_id = query.get("conversation");
    const character_id = query.get("character") || status.character_id;
    shelf.classList.toggle("open", Boolean(conversation_id));
    place.classList.remove("explaining");
    for (const link of index.querySelectorAll("a")) mark(link);
    if (conversation_id) place.replaceChildren(talkOf({ character_id, conversation_id }, Number(query.get("turn"))));
    else place.replaceChildren(empty("打开左边的会话看看", "看看在那里说过什么，每句回答为什么这么说。", { picture: "chat" }));
  }

  function talkOf(where, turnId) {
    const why = whyPanel(place, leave.signal);
    const known = shown.find((talk) => talk.conversation_id === where.conversation_id && talk.character_id === where.character_id);
    const name = known?.character ?? (where.character_id === status.character_id ? status.character : where.character_id);
    const turn = (data) => turnOf(data, name, why.open, true);
    const none = () => empty("这里没有留下什么", "说过的话保存期过了，或者这个会话还没有人说过话。", { picture: "chat" });
    const { log } = talkLog(where, turn, none, leave.signal, turnId ? turnId + 1 : null);
    const latest = turnId > 0 && el("a", { class: "button quiet", href: to("talks", { character: where.character_id, conversation: where.conversation_id }) }, "到最新的");
    const back = el("a", { class: "button quiet back", href: to("talks") }, icon("back"), "会话");
    return el("div", { class: "talk" }, el("div", { class: "talk-head" }, back, el("h2", {}, known?.label ?? where.conversation_id), latest), log);
  }

  let typing = null;
  const again = () => fill(index, () => load(), show, signal);
  field.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(again, 200);
  });
  addEventListener("moved", open, { signal });
  again().then(() => !signal.aborted && open());
  const same = (data) => data.total === total && data.conversations[0]?.last.id === shown[0]?.last.id;
  watch(index, () => load(), (data) => !same(data) && index.replaceChildren(...show(data)), signal);
}
