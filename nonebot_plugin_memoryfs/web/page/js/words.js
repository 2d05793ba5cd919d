// Facts and the like as short sentences.

const OPERATOR = "web_admin";

/** 用户 喜欢 摇滚; what the operator said of themselves is about 你. */
export function sentenceOf(fact) {
  return `${subjectOf(fact)} ${fact.relation} ${fact.object}`;
}

/** Who said it: 你, or their name. */
export function speakerOf(fact) {
  return fact.user_id === OPERATOR ? "你" : fact.speaker;
}

/** 喜欢 摇滚、在学 吉他 */
export function brief(facts) {
  return facts.map((fact) => (isOwn(fact) ? `${fact.relation} ${fact.object}` : sentenceOf(fact))).join("、");
}

/** 甲、乙和丙 */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join("、")}和 ${words.at(-1)}`;
}

function isOwn(fact) {
  return fact.user_id === OPERATOR && fact.subject === fact.speaker;
}

function subjectOf(fact) {
  return isOwn(fact) ? "你" : fact.subject;
}
