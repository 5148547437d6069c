function split_words(entries) {
  const truthy = (v) => {
    if (v === null || v === undefined || v === false || v === "") return false;
    if (typeof v === "number") return v !== 0;
    if (typeof v === "bigint") return v !== 0n;
    if (Array.isArray(v)) return v.length > 0;
    if (v instanceof Map || v instanceof Set) return v.size > 0;
    if (typeof v === "object") return Object.keys(v).length > 0;
    return true;
  };
  const word = [];
  const num = [];
  for (const e of entries) {
    if (typeof e === "string") {
      word.push(e);
      continue;
    }
    if (!Object.prototype.hasOwnProperty.call(e, "value")) throw new Error("missing key: value");
    word.push(e["value"]);
    if (Object.prototype.hasOwnProperty.call(e, "numfirst") && truthy(e["numfirst"])) num.push(e["value"]);
  }
  return [word, num];
}
