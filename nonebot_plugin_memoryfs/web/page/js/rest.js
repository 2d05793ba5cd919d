// The rest of a long list, a part at a time.

import { el } from "./dom.js";
import { complain } from "./toast.js";

/** A button for the next part; gone when nothing is left. */
export function restOf(left, atOnce, grow) {
  const button = el("button", { type: "button", class: "button rest" });
  const tell = () => {
    button.hidden = left() <= 0;
    button.textContent = `再看 ${Math.min(atOnce, left())} 条`;
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    await grow().catch(complain);
    button.disabled = false;
    tell();
  });
  tell();
  return button;
}
