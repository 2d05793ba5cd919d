// Asking the bot. What goes wrong is a `Problem` in words for people; a bot that is gone is told to `offline`.

import { offline } from "./offline.js";
import { session } from "./session.js";

const API = new URL("../api/memoryfs/", document.baseURI);

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
  /** Whether what was to be changed has changed meanwhile. */
  get outdated() {
    return this.status === 409;
  }
  /** Whether nobody answered. */
  get gone() {
    return this.status === 0;
  }
}

let onSignedOut = () => {};

/** Be told when the token is no longer taken. */
export function whenSignedOut(tell) {
  onSignedOut = tell;
}

async function ask(method, path, { query = {}, body, signal } = {}) {
  const url = new URL(path, API);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) url.searchParams.set(name, value);
  }
  const headers = { Authorization: `Bearer ${session.token}` };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await reach(url, { method, headers, body: body && JSON.stringify(body), signal, cache: "no-store" });
  const data = await answer.json().catch(() => ({}));
  if (answer.ok) return data;
  if (answer.status === 401 && path !== "sign-in") onSignedOut();
  throw new Problem(answer.status, data.detail ?? `出错了（${answer.status}）`);
}

async function reach(url, options) {
  try {
    const answer = await fetch(url, options);
    if (answer.status === 503) throw new Problem(0, "机器人正在重启");
    offline.over();
    return answer;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    offline.begin(() => fetch(new URL("status", API), { headers: options.headers }));
    throw error instanceof Problem ? error : new Problem(0, "连不上机器人");
  }
}

export const api = {
  get: (path, query, signal) => ask("GET", path, { query, signal }),
  put: (path, body) => ask("PUT", path, { body }),
  post: (path, body) => ask("POST", path, { body }),
  delete: (path, query) => ask("DELETE", path, { query }),
};
