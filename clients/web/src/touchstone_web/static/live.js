// Follows a run by server-sent events; without it the page shows the state of its loading.
(() => {
  const live = document.getElementById("live");
  if (!live) return;
  const away = document.getElementById("away");
  const follow = () => {
    const source = new EventSource(live.dataset.events);
    source.addEventListener("progress", (event) => {
      const told = JSON.parse(event.data);
      away.hidden = true;
      live.querySelector("progress").value = told.finished;
      const lost = told.lost ? `, ${told.lost} lost to faults and counted nowhere` : "";
      const cancelled = told.cancelled ? `, ${told.cancelled} cancelled` : "";
      live.querySelector("span").textContent = `${told.finished - told.lost - told.cancelled} of ${told.answers} answers judged, ${told.passed} passed${lost}${cancelled}`;
      const halted = document.getElementById("halted");
      halted.hidden = !told.halted;
      halted.querySelector("span").textContent = told.halted;
    });
    source.addEventListener("away", () => { away.hidden = false; });
    // It was deleted meanwhile: nothing of it comes again.
    source.addEventListener("gone", () => {
      source.close();
      away.hidden = true;
      document.getElementById("gone").hidden = false;
    });
    source.addEventListener("done", () => { source.close(); location.reload(); });
    source.addEventListener("error", () => {
      away.hidden = false;
      // A browser comes back by itself after a broken connection, and never after an answer that is no stream.
      if (source.readyState === EventSource.CLOSED) setTimeout(follow, 3000);
    });
  };
  follow();
})();
