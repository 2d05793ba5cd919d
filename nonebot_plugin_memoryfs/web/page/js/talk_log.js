// What was said in a conversation, the latest at the end; goes back on demand, and on by itself.

import { api } from "./api.js";
import { el } from "./dom.js";
import { failed, loading } from "./states.js";
import { watch } from "./watch.js";

const AT_ONCE = 20;

/**
 * @param where `{ character_id, conversation_id }`
 * @param turn makes the element of a turn.
 * @param nothing makes what stands there before anything was said.
 * @param before only turns older than this one: a look at the past, which does not go on.
 */
export function talkLog(where, turn, nothing, signal, before = null) {
  const list = el("ol", { "aria-label": "对话" });
  const log = el("div", { class: "log", role: "log", "aria-live": "polite", tabindex: "-1" }, loading());
  const toEnd = () => (log.scrollTop = log.scrollHeight);
  const page = (older) => api.get("turns", { ...where, limit: AT_ONCE, before: older }, signal);

  async function begin() {
    log.replaceChildren(loading());
    try {
      const turns = await page(before);
      list.prepend(...turns.map(turn).reverse()); // something may have been said meanwhile
      if (list.children.length) show(turns);
      else log.replaceChildren(nothing());
      toEnd();
    } catch (problem) {
      if (!signal.aborted) log.replaceChildren(failed(problem, begin));
    }
  }

  function show(turns) {
    log.replaceChildren(list);
    if (turns.length === AT_ONCE) log.prepend(earlier(turns.at(-1).id));
  }

  function earlier(older) {
    const button = el("button", { type: "button", class: "button quiet more" }, "看更早的");
    button.addEventListener("click", async () => {
      const height = log.scrollHeight;
      const turns = await page(older).catch(() => null);
      if (!turns) return;
      list.prepend(...turns.map(turn).reverse());
      button.remove();
      if (turns.length === AT_ONCE) log.prepend(earlier(turns.at(-1).id));
      log.scrollTop += log.scrollHeight - height;
    });
    return button;
  }

  /** What was said elsewhere meanwhile, or answered. */
  function goOn(turns) {
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 80;
    for (const data of turns.reverse()) {
      const known = list.querySelector(`[data-turn="${data.id}"]`);
      if (!known) {
        if (!list.isConnected) log.replaceChildren(list);
        list.append(turn(data));
      } else if (known.dataset.state !== data.state) known.replaceWith(turn(data));
    }
    if (atEnd) toEnd();
  }

  begin();
  if (!before) watch(log, () => page(), goOn, signal);
  return { log, list, toEnd };
}
