// Keys of the review page, and guidelines that stay closed once they were; without it the buttons do the same.
(() => {
  const guidelines = document.getElementById("guidelines");
  const closed = "touchstone.guidelines.closed";
  if (guidelines) {
    try {
      guidelines.open = !localStorage.getItem(closed);
      guidelines.addEventListener("toggle", () => {
        if (guidelines.open) localStorage.removeItem(closed);
        else localStorage.setItem(closed, "1");
      });
    } catch { /* A browser that keeps nothing shows them each time. */ }
  }
  const form = document.getElementById("opinion");
  if (!form) return;
  const note = form.querySelector("textarea");
  const keys = { y: "yes", n: "no", u: "cannot_tell" };
  // An opinion stands, so none is taken of what nobody can have seen yet: a key that is held, that bounces or that a
  // remote screen sends again and again, and a second click, are meant for the pair before.
  const UNSEEN_MS = 500;
  let waiting;
  const wait = () => {
    delete form.dataset.ready;
    clearTimeout(waiting);
    waiting = setTimeout(() => { form.dataset.ready = "1"; }, UNSEEN_MS);
  };
  // The time runs from when the page is drawn, which it is not in a tab behind another.
  const begin = () => requestAnimationFrame(() => requestAnimationFrame(wait));
  begin();
  window.addEventListener("pageshow", (event) => {
    // Whoever comes back to a page that the browser kept, as after a fault, can answer again.
    if (!event.persisted) return;
    delete form.dataset.sent;
    delete form.dataset.ready;
    begin();
  });
  form.addEventListener("submit", (event) => {
    if (!form.dataset.ready) event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target === note) {
      // A note may hold every letter; Escape leads back to the keys.
      if (event.key === "Escape") note.blur();
      return;
    }
    if (["INPUT", "SELECT"].includes(event.target.tagName)) return;
    if (event.key === "m") { event.preventDefault(); note.focus(); return; }
    const opinion = keys[event.key];
    if (!opinion || form.dataset.sent) return;
    if (event.repeat || !form.dataset.ready) { wait(); return; }
    form.dataset.sent = "1";
    form.requestSubmit(form.querySelector(`button[value="${opinion}"]`));
  });
})();
