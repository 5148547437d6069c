function mute_string(text: string): string {
  const all = Array.from(text);
  if (!all.length) throw new Error("no quote");
  let start = all.indexOf(all[all.length - 1]) + 1, end = all.length - 1;
  const last = all.slice(-3).join("");
  if (last === '"""' || last === "'''") {
    start += 2;
    end -= 2;
  }
  const tail = all.slice(end);
  return all.slice(0, start).join("") + "x".repeat(Math.max(0, end - start)) + tail.join("");
}
