// Looking again now and then, as long as the page is seen and nobody is writing.

const EVERY = 3000;

export function watch(place, load, tell, signal) {
  const timer = setInterval(async () => {
    if (document.hidden || busy(place)) return;
    const data = await load().catch(() => null);
    if (data && !signal.aborted && !busy(place)) tell(data);
  }, EVERY);
  signal.addEventListener("abort", () => clearInterval(timer));
}

function busy(place) {
  return place.querySelector("[data-editing], .skeleton, .dots, details[open], [role=alert]:not([hidden])") !== null;
}
