// Talking with the character.

import { api } from "./api.js";
import { composer } from "./composer.js";
import { el } from "./dom.js";
import { pending, turnOf } from "./message.js";
import { failed, loading } from "./states.js";
import { whyPanel } from "./why.js";

const EXAMPLES = ["我喜欢摇滚，最近在学吉他", "我喜欢什么音乐？", "刚才我说了什么？"];
const CONVERSATION = "web_main";
const AT_ONCE = 20;

export function chatView(stage, status, signal) {
  const list = el("ol", { "aria-label": "对话" });
  const log = el("div", { class: "log", role: "log", "aria-live": "polite", tabindex: "-1" }, loading());
  const field = composer(say);
  const head = el("div", { class: "talk-head" }, el("h1", {}, status.character), status.offline && el("span", { class: "pill" }, "离线模型"));
  const talk = el("div", { class: "talk" }, head, log, field.element);
  const chat = el("div", { class: "chat" }, talk);
  const why = whyPanel(chat, signal);
  stage.append(chat);

  const turn = (data) => turnOf(data, status.character, why.open);
  const toEnd = () => (log.scrollTop = log.scrollHeight);

  async function begin() {
    log.replaceChildren(loading());
    try {
      const turns = await page();
      list.prepend(...turns.map(turn).reverse()); // something may have been said meanwhile
      if (list.children.length) showList(turns);
      else log.replaceChildren(welcome());
      toEnd();
    } catch (problem) {
      if (!signal.aborted) log.replaceChildren(failed(problem, begin));
    }
  }

  function page(before) {
    const query = { character_id: status.character_id, conversation_id: CONVERSATION, limit: AT_ONCE, before };
    return api.get("turns", query, signal);
  }

  function showList(turns) {
    log.replaceChildren(list);
    if (turns.length === AT_ONCE) log.prepend(earlier(turns.at(-1).id));
  }

  function earlier(before) {
    const button = el("button", { type: "button", class: "button quiet more" }, "看更早的");
    button.addEventListener("click", async () => {
      const height = log.scrollHeight;
      const turns = await page(before).catch(() => null);
      if (!turns) return;
      list.prepend(...turns.map(turn).reverse());
      button.remove();
      if (turns.length === AT_ONCE) log.prepend(earlier(turns.at(-1).id));
      log.scrollTop += log.scrollHeight - height;
    });
    return button;
  }

  function welcome() {
    const examples = EXAMPLES.map((text) => el("button", { type: "button", class: "example", onclick: () => say(text) }, text));
    return el("div", { class: "welcome" },
      el("h2", {}, `和${status.character}说点什么吧`),
      el("p", {}, "说过的会记住，随时能看、能改、能删；每句回答都能问一句为什么。"),
      el("div", { class: "examples", role: "group", "aria-label": "可以这样说" }, ...examples));
  }

  async function say(text) {
    if (!list.isConnected) log.replaceChildren(list);
    const waiting = pending(text, status.character);
    list.append(waiting.element);
    toEnd();
    try {
      const reply = await api.post("chat", { text });
      waiting.element.replaceWith(turn({ id: reply.turn_id, said: text, reply: reply.text, explained: true, written: reply.written }));
    } catch (problem) {
      waiting.fail(problem, () => {
        waiting.element.remove();
        say(text);
      });
    }
    toEnd();
  }

  begin();
  field.focus();
}
