// The page: signed in or not, and which view is on the stage.

import { api, whenSignedOut } from "./api.js";
import { chatView } from "./chat.js";
import { el, icon } from "./dom.js";
import { memoryView } from "./memory.js";
import { offline } from "./offline.js";
import { here, to } from "./routes.js";
import { session } from "./session.js";
import { signInView } from "./sign_in.js";
import { failed, loading } from "./states.js";
import { talksView } from "./talks.js";
import { dismiss } from "./toast.js";

const VIEWS = { chat: chatView, talks: talksView, memory: memoryView };
const TITLES = { chat: "聊天", talks: "会话", memory: "记忆" };
const root = document.getElementById("app");

let leave = null;
let status = null;

function signIn(reason) {
  leave?.abort();
  status = null;
  root.replaceChildren(signInView(open, reason));
  document.title = "登录 · 记忆";
}

async function open() {
  root.replaceChildren(el("main", { class: "sign-in" }, loading()));
  try {
    status = await api.get("status");
    show();
  } catch (problem) {
    if (problem.status !== 401) root.replaceChildren(el("main", { class: "sign-in" }, failed(problem, open)));
  }
}

function show() {
  if (!status) return;
  leave?.abort();
  leave = new AbortController();
  const { place } = here();
  const name = place[0] in VIEWS ? place[0] : "chat";
  document.title = `${TITLES[name]} · 记忆`;
  const stage = el("main", { class: "stage", tabindex: "-1", id: "stage" });
  root.replaceChildren(el("div", { class: "frame" }, rail(name), stage));
  VIEWS[name](stage, status, leave.signal);
}

function rail(current) {
  const link = (name, picture) =>
    el("a", { href: to(name), "aria-current": name === current ? "page" : null }, icon(picture), TITLES[name]);
  const signOut = () => {
    session.end();
    signIn("");
  };
  const model = status.offline ? "现在用的是离线模型，按规则回答，不用密钥。" : `模型：${status.model}`;
  return el("header", { class: "rail" },
    el("div", { class: "brand" }, el("img", { src: "icon.svg", alt: "" }), "记忆"),
    el("nav", { class: "places", "aria-label": "页面" }, link("chat", "chat"), link("talks", "talks"), link("memory", "memory")),
    el("div", { class: "about" }, el("p", {}, model), el("button", { type: "button", class: "button quiet", onclick: signOut }, icon("leave"), "退出登录")));
}

/** Within a view, moving about is the view's own affair. */
let last = here().place[0];
addEventListener("hashchange", () => {
  dismiss();
  const place = here().place[0];
  if (place !== last || !leave) show();
  else dispatchEvent(new CustomEvent("moved"));
  last = place;
});
whenSignedOut(() => {
  session.end();
  signIn("登录已经失效，请重新登录。");
});
offline.whenOver(() => (status ? dispatchEvent(new CustomEvent("moved")) : session.token && open()));

if (session.token) open();
else signIn("");
