function parse_data(value) {
  const inner = Array.from(value).slice(1, -1).join("");
  return inner.split(",").map((part) => {
    const text = part.trim();
    if (!/^[+-]?[0-9]+$/.test(text)) throw new Error("no integer");
    return Number(text);
  });
}
