// Keys of the search: / to the question, arrows through the results, Escape back. Without it links and the form work alike.
(() => {
  const question = document.getElementById("q");
  const results = () => [...document.querySelectorAll("a.result")];
  const writes = (element) => element.matches("input:not([type=checkbox]), textarea, select");
  const goTo = (element) => {
    element.focus();
    element.closest("article")?.scrollIntoView({ block: "nearest" });
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const at = document.activeElement ?? document.body;
    if (event.key === "/" && question && !writes(at)) {
      event.preventDefault();
      question.focus();
      question.select();
      return;
    }
    // In other fields, and in code that scrolls, the arrows keep their meaning.
    if ((writes(at) && at !== question) || at.matches("pre, summary")) return;
    const found = results();
    const place = found.indexOf(at);
    if (event.key === "Escape" && question && at !== question) {
      event.preventDefault();
      goTo(question);
    } else if (event.key === "ArrowDown" && found.length && place < found.length - 1) {
      event.preventDefault();
      goTo(found[place + 1]);
    } else if (event.key === "ArrowUp" && place >= 0) {
      event.preventDefault();
      goTo(place ? found[place - 1] : question ?? found[0]);
    }
  });
})();
// An answer that a model works on comes in pieces, each of which takes the place of the one before.
(() => {
  let source;
  const show = (found, html) => {
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    const at = document.activeElement;
    const place = found.contains(at) ? at.closest("article")?.querySelector("a.result")?.getAttribute("href") : null;
    for (const { id } of found.querySelectorAll("details[open][id]")) {
      fresh.content.getElementById(id)?.setAttribute("open", "");
    }
    // Results that stay the same stay where they are, with what was opened among them.
    const [before, after] = [found.querySelector("ol.found"), fresh.content.querySelector("ol.found")];
    const told = after?.innerHTML;
    if (before && told === found.told) after.replaceWith(before);
    found.told = told;
    found.replaceChildren(fresh.content);
    if (!place) return;
    const same = [...found.querySelectorAll("a.result")].find((each) => each.getAttribute("href") === place);
    (same ?? document.getElementById("q"))?.focus({ preventScroll: true });
  };
  const follow = () => {
    source?.close();
    const found = document.getElementById("found");
    if (!found?.dataset.pieces) return;
    const told = (text) => found.querySelector(".going")?.replaceChildren(text);
    told("The question is compared as it is …");
    const following = (source = new EventSource(found.dataset.pieces));
    following.addEventListener("piece", (event) => show(found, event.data));
    following.addEventListener("answer", (event) => {
      following.close();
      show(found, event.data);
    });
    // A browser would ask again by itself, and the model with it.
    following.addEventListener("error", () => {
      following.close();
      told("The connection broke off: load the page again to go on.");
    });
  };
  // Who types asks something else: nobody waits for the model any more.
  document.addEventListener("htmx:afterSwap", follow);
  follow();
})();
