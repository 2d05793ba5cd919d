// Talking with the character.

import { api } from "./api.js";
import { composer } from "./composer.js";
import { el } from "./dom.js";
import { pending, turnOf } from "./message.js";
import { talkLog } from "./talk_log.js";
import { whyPanel } from "./why.js";

const EXAMPLES = ["我喜欢摇滚，最近在学吉他", "我喜欢什么音乐？", "刚才我说了什么？"];
const CONVERSATION = "web_main";

export function chatView(stage, status, signal) {
  const head = el("div", { class: "talk-head" }, el("h1", {}, status.character), status.offline && el("span", { class: "pill" }, "离线模型"));
  const chat = el("div", { class: "chat" });
  const why = whyPanel(chat, signal);
  const turn = (data) => turnOf(data, status.character, why.open);
  const { log, list, toEnd } = talkLog({ character_id: status.character_id, conversation_id: CONVERSATION }, turn, welcome, signal);
  const field = composer(say);
  chat.append(el("div", { class: "talk" }, head, log, field.element));
  stage.append(chat);

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
      const state = reply.text ? "answered" : "unanswered";
      waiting.element.replaceWith(turn({ id: reply.turn_id, said: text, reply: reply.text, state, at: new Date().toISOString(), explained: true, written: reply.written }));
    } catch (problem) {
      waiting.fail(problem, () => {
        waiting.element.remove();
        say(text);
      });
    }
    toEnd();
  }

  field.focus();
}
