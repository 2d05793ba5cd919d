// A trace as a story: what came to mind, what the model was given, what was done, how long it took.

import { stackedBar } from "./bar.js";
import { el, icon } from "./dom.js";
import { to } from "./routes.js";
import { spent, when } from "./time.js";
import { listed, sentenceOf, speakerOf } from "./words.js";

export function storyOf(why) {
  return [
    el("blockquote", {}, why.said || "（叫了一声）"),
    ...(why.errors.length ? [section("出了点问题", `${why.errors.join("；")}。`)] : []),
    remembered(why.recalled),
    given(why),
    done(why),
    timed(why),
    checks(why.checks),
    ...(why.prompt ? [prompt(why.prompt)] : []),
  ];
}

function section(title, sentence, ...content) {
  return el("section", {}, el("h3", {}, title), el("p", {}, sentence), ...content);
}

function things(items) {
  return items.length ? el("ul", { class: "things" }, ...items) : null;
}

function thing(text, meta) {
  return el("li", { class: "thing" }, text, meta && el("span", { class: "meta" }, meta));
}

function remembered(recalled) {
  if (!recalled) return section("想起了什么", "还没来得及回忆。");
  const { persona, facts, sayings, files } = recalled;
  const used = files.filter((read) => read.entries).length;
  const found = [
    persona.length && `${persona.length} 条人设`,
    facts.length && `${facts.length} 件事`,
    sayings.length && `${sayings.length} 句以前的话`,
    used && `${used} 个记忆文件`,
    recalled.tasks && `${recalled.tasks} 轮刚才的对话`,
  ].filter(Boolean);
  const more = recalled.facts_left_out ? `还有 ${recalled.facts_left_out} 件没放下。` : "";
  const back = recalled.looked_back ? "这句话指向以前，所以回头找过。" : "";
  const sentence = found.length ? `想起了 ${listed(found)}。${more}${back}` : `没有想起什么，这是新话题。${back}`;
  const traits = persona.map((fact) => el("li", { class: "trait" }, el("span", {}, fact.relation), fact.object));
  const character = traits.length > 0 && el("details", {}, el("summary", {}, `${traits.length} 条人设`), el("ul", { class: "traits" }, ...traits));
  return section("想起了什么", sentence, things([
    ...facts.map((fact) => thing(`${sentenceOf(fact)}${fact.inferred ? "（推测）" : ""}`, factMeta(fact))),
    ...sayings.map((line) => thing(`「${line.text}」`, `${line.speaker}，${when(line.at)} · ${line.place}`)),
    ...files.map(file),
  ]), character);
}

function factMeta(fact) {
  const gone = fact.live ? "" : " · 后来改了";
  return `${speakerOf(fact)}说的 · ${when(fact.last_seen)} · ${fact.place}${gone}`;
}

function file(read) {
  const parts = [read.entries ? `用了 ${read.entries} 条` : "没有用上"];
  if (read.left_out) parts.push(`${read.left_out} 条没放下`);
  if (read.hidden) parts.push(`${read.hidden} 条是别处的话，不在这里说`);
  const link = el("a", { class: "path", href: to("memory/files", { path: read.path }) }, read.path);
  return thing(link, parts.join("，"));
}

function given(why) {
  const cuts = why.cuts.map((cut) => `${cut.label} ${cut.lines} 行`);
  const cut = cuts.length ? `放不下，略去了 ${listed(cuts)}。` : "都放得下，没有略去什么。";
  const base = why.recalled ? `开头用的是${why.recalled.base}。` : "";
  const parts = why.parts.map((part) => ({ label: part.label, size: part.characters, told: `${part.characters} 字` }));
  return section("给模型看了什么", `一共 ${why.prompt_characters} 字。${base}${cut}`, ...stackedBar("提示词各部分", parts));
}

function done(why) {
  const model = why.requests ? `问了模型 ${why.requests} 次` : "没有问模型";
  const tokens = why.tokens[0] + why.tokens[1] ? `，读 ${why.tokens[0]}、写 ${why.tokens[1]} 个 token` : "";
  const tools = why.calls.length ? `，用了 ${why.calls.length} 次工具` : "，没有用工具";
  const calls = why.calls.map((call) => {
    const item = thing(call.result, `${call.label} · ${spent(call.milliseconds)}`);
    if (!call.ok) item.classList.add("failed");
    return item;
  });
  const host = why.by_host.map((text) => thing(text, "模型没记，按规则补记"));
  const written = why.written.map((fact) => thing(sentenceOf(fact), fact.live ? "记下的事实" : "记下过，后来改了"));
  return section("做了什么", `${model}${tools}${tokens}。`, things([...calls, ...written, ...host]));
}

function timed(why) {
  const all = why.steps.reduce((sum, step) => sum + step.milliseconds, 0);
  const slowest = why.steps.reduce((a, b) => (b.milliseconds > a.milliseconds ? b : a), why.steps[0]);
  const steps = why.steps.map((step) => ({ label: step.label, size: step.milliseconds, told: spent(step.milliseconds) }));
  const sentence = slowest ? `一共 ${spent(all)}，最久的一步是“${slowest.label}”。` : "没有记下时间。";
  return section("用了多久", sentence, ...stackedBar("每一步的时间", steps));
}

function checks(list) {
  const missed = list.filter((check) => !check.done).length;
  const title = missed ? `有 ${missed} 步没做到` : `${list.length} 步都做到了`;
  const items = list.map((check) =>
    el("li", { class: check.done ? "" : "missed" }, icon(check.done ? "done" : "close"), check.label,
      !check.done && el("span", { class: "visually-hidden" }, "（没有做到）")));
  return el("details", { open: missed > 0 }, el("summary", {}, title), el("ul", { class: "checks" }, ...items));
}

function prompt(text) {
  return el("details", {}, el("summary", {}, "完整的提示词"), el("pre", { tabindex: "0" }, text));
}
