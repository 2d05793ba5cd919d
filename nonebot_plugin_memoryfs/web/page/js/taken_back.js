// Facts that were taken back or corrected, as long as they can be brought back.

import { api } from "./api.js";
import { el } from "./dom.js";
import { fill } from "./states.js";
import { timeOf } from "./time.js";
import { complain } from "./toast.js";

export function takenBackOf(query, bringBack, signal) {
  const body = el("div");
  const past = el("details", { class: "past" }, el("summary", {}, "删掉和更正过的"), body);
  past.addEventListener("toggle", () => {
    if (past.open) fill(body, () => api.get("facts/taken-back", query, signal), show, signal);
  });

  function show(facts) {
    if (!facts.length) return el("p", { class: "meta" }, "最近 30 天没有。");
    return el("ol", {}, ...facts.map((fact) => {
      const sentence = `${fact.subject} ${fact.relation} ${fact.object}`;
      return el("li", { class: "version" },
        el("div", {}, el("p", {}, sentence), el("span", { class: "meta" }, timeOf(fact.last_seen, el), ` · ${fact.speaker}说的`)),
        el("button", { type: "button", class: "button", "aria-label": `恢复：${sentence}`, onclick: () => bringBack(fact.id).catch(complain) }, "恢复"));
    }));
  }

  return past;
}
