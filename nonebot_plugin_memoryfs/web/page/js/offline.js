// The bot is gone: say so, try again, and say when it is back.

const EVERY = 2000;

let timer = null;
const listeners = new Set();

function banner() {
  return document.getElementById("offline");
}

export const offline = {
  /** Be told when the bot is back; gives a way to be told no more. */
  whenOver(tell) {
    listeners.add(tell);
    return () => listeners.delete(tell);
  },

  /** Nobody answered: try again and again, with this. */
  begin(attempt) {
    if (timer !== null) return;
    banner().textContent = "连不上机器人，正在重试。已经写下的还在这里。";
    banner().hidden = false;
    timer = setInterval(async () => {
      try {
        const answer = await attempt();
        if (answer.status !== 503) offline.over();
      } catch {
        // still gone
      }
    }, EVERY);
  },

  /** Somebody answered. */
  over() {
    if (timer === null) return;
    clearInterval(timer);
    timer = null;
    banner().hidden = true;
    for (const tell of listeners) tell();
  },
};
