// What a file used to be: former versions to bring back, and what had no room.

import { api } from "./api.js";
import { el } from "./dom.js";
import { fill } from "./states.js";
import { timeOf } from "./time.js";
import { complain } from "./toast.js";

export function pastOf(file, restore, signal) {
  if (!file.former_versions) return el("div", { hidden: true });
  const body = el("div");
  const past = el("details", { class: "past" }, el("summary", {}, `旧版（${file.former_versions}）`), body);
  past.addEventListener("toggle", () => {
    if (past.open) fill(body, () => api.get("versions", { path: file.path }, signal), show, signal);
  });

  function show({ versions, dropped }) {
    const items = versions.map((version) => el("li", { class: "version" },
      el("div", {}, el("span", { class: "meta" }, `第 ${version.version} 版 · `, timeOf(version.updated_at, el)),
        el("p", {}, version.entries.join("\n") || "（空）")),
      el("button", { type: "button", class: "button", "aria-label": `恢复第 ${version.version} 版`, onclick: () => restore(version.version).catch(complain) }, "恢复")));
    const lost = dropped.length > 0 && el("p", { class: "meta" }, `另有 ${dropped.length} 条因为太长放不下，已移出。`);
    return [el("ol", {}, ...items), ...(lost ? [lost] : [])];
  }

  return past;
}
