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
    form.dataset.sent = "1";
    form.requestSubmit(form.querySelector(`button[value="${opinion}"]`));
  });
})();
