// Signing in with the one-time code from the log.

import { api } from "./api.js";
import { el } from "./dom.js";
import { session } from "./session.js";

/** The form; `done` is called when the code was good. */
export function signInView(done, reason = "") {
  const problem = el("p", { class: "problem", id: "sign-in-problem", role: "alert" }, reason);
  const field = el("input", {
    class: "field", id: "code", name: "code", autocomplete: "one-time-code", autocapitalize: "characters",
    spellcheck: "false", placeholder: "ABCD-EFGH", maxlength: "16", required: true, "aria-describedby": "sign-in-help sign-in-problem",
  });
  const button = el("button", { class: "button primary" }, "登录");

  async function submit(event) {
    event.preventDefault();
    button.disabled = true;
    problem.textContent = "";
    try {
      session.start((await api.post("sign-in", { code: field.value })).token);
      done();
    } catch (error) {
      problem.textContent = error.message;
      field.select();
    } finally {
      button.disabled = false;
    }
  }

  const form = el("form", { onsubmit: submit },
    el("img", { src: "icon.svg", alt: "" }),
    el("h1", {}, "看看它记住了什么"),
    el("p", { class: "hint", id: "sign-in-help" }, "登录码写在机器人启动时的日志里，10 分钟内有效，用一次就作废。要新的，私聊机器人发 /memoryfs web（限机器人主人）。"),
    el("div", {}, el("label", { for: "code" }, "登录码"), field),
    problem,
    button);
  requestAnimationFrame(() => field.focus());
  return el("main", { class: "sign-in" }, form);
}
