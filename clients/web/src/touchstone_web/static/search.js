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
