// The facts of a person, or of the character: newest first, corrected or taken back with a way to undo.

import { api } from "./api.js";
import { el, icon } from "./dom.js";
import { itemOf } from "./item.js";
import { restOf } from "./rest.js";
import { to } from "./routes.js";
import { empty, fill } from "./states.js";
import { takenBackOf } from "./taken_back.js";
import { timeOf } from "./time.js";
import { complain, toast } from "./toast.js";
import { watch } from "./watch.js";

const AT_ONCE = 100;

export function factsSheet(sheet, path, signal) {
  const [, character, , user] = path.replace(/\/?#facts$/, "").split("/").map(decoded);
  let shown = [];
  let total = 0;
  let name = "";
  const load = (offset = 0, limit = AT_ONCE) =>
    api.get("facts", { character_id: character, user_id: user, offset, limit }, signal);
  const reload = () => load(0, Math.min(500, Math.max(AT_ONCE, shown.length)));

  function show(data, fresh = new Set()) {
    shown = data.facts;
    total = data.total;
    name = data.name;
    const list = el("ol", { class: "items", "aria-label": "事实，最新的在前" }, ...shown.map((fact) => factItem(fact, fresh)));
    return [headOf(), shown.length ? list : nothing(), restOf(() => total - shown.length, AT_ONCE, () => grow(list)),
      takenBackOf({ character_id: character, user_id: user }, bringBack, signal)];
  }

  async function refresh() {
    const known = new Set(shown.map((fact) => fact.id));
    const data = await reload();
    const fresh = new Set(data.facts.map((fact) => fact.id).filter((id) => !known.has(id)));
    if (!signal.aborted) sheet.replaceChildren(...show(data, fresh));
  }

  function headOf() {
    return el("header", { class: "sheet-head" },
      el("div", { class: "title" }, el("h2", {}, `关于 ${name}`), el("span", { class: "pill accent" }, "聊到时会想起")),
      el("p", { class: "path" }, path.replace(/#facts$/, "")),
      el("p", { class: "meta" }, `${total} 件事。删掉和更正的，30 天内可以恢复。`));
  }

  function nothing() {
    const go = el("a", { class: "button", href: to("chat") }, icon("chat"), "去聊聊");
    return empty("还没有记住什么", "说一句“我喜欢……”试试，马上就会出现在这里。", { picture: "facts", action: go });
  }

  async function grow(list) {
    const { facts } = await load(shown.length);
    shown = [...shown, ...facts];
    list.append(...facts.map((fact) => factItem(fact, new Set())));
  }

  function factItem(fact, fresh) {
    let expected = fact.object;
    let id = fact.id;
    const item = itemOf({
      words: [fact.subject, el("em", {}, fact.relation), fact.object],
      text: fact.object,
      label: `${fact.subject} ${fact.relation} ${fact.object}`,
      meta: [timeOf(fact.last_seen, el), `${fact.speaker}说的`, fact.place, fact.sightings > 1 && `听到 ${fact.sightings} 次`, fact.inferred && el("span", { class: "pill warm" }, "推测")],
      around: () => ({ above: el("p", { class: "hint" }, `${fact.subject} ${fact.relation}`) }),
      save: async (object) => {
        await api.put(`facts/${id}`, { object, expected });
        await refresh();
        toast("已更正", () => bringBack(id));
      },
      remove: async () => {
        try {
          await api.delete(`facts/${id}`, { expected });
          await refresh();
          toast("已删除", () => bringBack(id));
        } catch (problem) {
          complain(problem);
          if (problem.outdated) await refresh();
        }
      },
      current: async () => {
        const now = (await reload()).facts.find((other) => other.subject === fact.subject && other.relation === fact.relation);
        if (!now) return null;
        expected = now.object;
        id = now.id;
        return now.object;
      },
    });
    if (fresh.has(fact.id)) item.classList.add("fresh");
    return item;
  }

  async function bringBack(id) {
    await api.post("facts/bring-back", { id });
    await refresh();
    toast("已恢复");
  }

  const same = (data) => data.total === total && data.facts[0]?.id === shown[0]?.id;
  fill(sheet, () => load(), show, signal);
  watch(sheet, () => load(), (data) => !same(data) && refresh().catch(() => {}), signal);
}

/** A segment of a path as an id; one that is no encoding of any stays as it is. */
function decoded(segment) {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
