function split_words(entries: (object | string)[]): ((boolean | string)[])[] {
  const truthy = (v: any): boolean => {
    if (v === null || v === undefined || v === false || v === "") return false;
    if (typeof v === "number") return v !== 0;
    if (typeof v === "bigint") return v !== BigInt(0);
    if (Array.isArray(v)) return v.length > 0;
    if (v instanceof Map || v instanceof Set) return v.size > 0;
    if (typeof v === "object") return Object.keys(v).length > 0;
    return true;
  };
  const word: any[] = [];
  const num: any[] = [];
  for (const e of entries) {
    if (typeof e === "string") {
      word.push(e);
      continue;
    }
    const m = e as any;
    if (!Object.prototype.hasOwnProperty.call(m, "value")) throw new Error("missing key: value");
    word.push(m["value"]);
    if (Object.prototype.hasOwnProperty.call(m, "numfirst") && truthy(m["numfirst"])) num.push(m["value"]);
  }
  return [word, num];
}
