// One turn of the chat: what was said, what came back, and what became of it.

import { el, icon } from "./dom.js";
import { to } from "./routes.js";
import { timeOf } from "./time.js";
import { brief } from "./words.js";

/** A turn; `named` tells who spoke, where it was not the one who reads. */
export function turnOf(turn, character, explain, named = false) {
  const who = named && el("p", { class: "meta who" }, turn.speaker);
  const element = el("li", { class: "turn", "data-turn": turn.id, "data-state": turn.state }, el("div", { class: "said" }, who, mine(turn.said, named)));
  const under = el("div", { class: "under" });
  if (turn.explained) {
    const button = el("button", { type: "button", class: "why-button", "aria-expanded": "false" }, icon("why"), "为什么这么回答");
    button.addEventListener("click", () => explain(turn.id, button));
    under.append(button);
  }
  const written = turn.written.filter((fact) => fact.live);
  if (written.length) under.append(kept(written));
  under.append(el("span", { class: "meta at" }, timeOf(turn.at, el)));
  const silent = turn.state === "open" ? "（正在回答）" : "（没有回答）";
  const words = turn.reply ? el("p", { class: "words" }, turn.reply) : el("p", { class: "words silent" }, silent);
  element.append(reply(character, words, under));
  return element;
}

/** A turn that waits for its answer, or did not get through. */
export function pending(text, character) {
  const dots = el("div", { class: "dots", role: "status", "aria-label": `${character}在想` }, el("i"), el("i"), el("i"));
  const answer = reply(character, dots);
  const element = el("li", { class: "turn" }, el("div", { class: "said" }, mine(text)), answer);
  return {
    element,
    fail(problem, again) {
      const retry = el("button", { type: "button", class: "button", onclick: again }, "重试");
      answer.replaceWith(el("div", { class: "unsent", role: "alert" }, `没有得到回答：${problem.message}`, retry));
    },
  };
}

function mine(text, named = false) {
  return el("p", { class: "mine" }, !named && el("span", { class: "visually-hidden" }, "你说："), text || "（叫了一声）");
}

function reply(character, ...content) {
  return el("div", { class: "reply" }, el("span", { class: "face", "aria-hidden": "true" }, [...character][0] ?? "·"), ...content);
}

function kept(facts) {
  const path = `${facts[0].directory}#facts`;
  return el("a", { class: "kept", href: to("memory/files", { path }) }, icon("kept"), `记下了：${brief(facts)}`);
}
