// Arrows, Home, End, Enter and Space in a tree.

export function treeKeys(tree, { expand, collapse, activate, tabStop }) {
  const shown = () => [...tree.querySelectorAll("[role=treeitem]")];
  const go = (item) => {
    if (!item) return;
    tabStop(item);
    item.focus();
  };

  function right(item) {
    if (item.getAttribute("aria-expanded") === "false") expand(item);
    else go(item.querySelector("[role=treeitem]"));
  }

  function left(item) {
    if (item.getAttribute("aria-expanded") === "true") collapse(item);
    else go(item.parentElement.closest("[role=treeitem]"));
  }

  const moves = {
    ArrowDown: (item, all) => go(all[all.indexOf(item) + 1]),
    ArrowUp: (item, all) => go(all[all.indexOf(item) - 1]),
    ArrowRight: right,
    ArrowLeft: left,
    Home: (_, all) => go(all[0]),
    End: (_, all) => go(all.at(-1)),
    Enter: activate,
    " ": activate,
  };

  tree.addEventListener("keydown", (event) => {
    const item = event.target.closest("[role=treeitem]");
    const move = moves[event.key];
    if (!item || !move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(item, shown());
  });
  tree.addEventListener("focusin", (event) => event.target.role === "treeitem" && tabStop(event.target));
}
