function GenerateQuality(value: { "\""?: number | unknown[] | object | string | null; quality?: unknown[] | object | string; sequence?: boolean | number | unknown[] | object | string | null }): string {
  const MAX = 80;
  const wrap = (t: string): string => {
    const cps = Array.from(t);
    const lines: string[] = [];
    for (let i = 0; i < cps.length; i += MAX) lines.push(cps.slice(i, i + MAX).join(""));
    return lines.join("\n");
  };
  const reprText = (t: string): string => {
    const q = t.includes("'") && !t.includes('"') ? '"' : "'";
    let out = q;
    for (const ch of t) {
      const cp = ch.codePointAt(0) as number;
      if (ch === q || ch === "\\") out += "\\" + ch;
      else if (ch === "\n") out += "\\n";
      else if (ch === "\r") out += "\\r";
      else if (ch === "\t") out += "\\t";
      else if (ch !== " " && /[\p{C}\p{Z}]/u.test(ch)) {
        const h = cp.toString(16);
        if (cp <= 0xff) out += "\\x" + h.padStart(2, "0");
        else if (cp <= 0xffff) out += "\\u" + h.padStart(4, "0");
        else out += "\\U" + h.padStart(8, "0");
      } else out += ch;
    }
    return out + q;
  };
  const reprNumber = (n: number): string => {
    if (Number.isNaN(n)) return "nan";
    if (n === Infinity) return "inf";
    if (n === -Infinity) return "-inf";
    if (Object.is(n, -0)) return "-0.0";
    if (Number.isInteger(n)) return BigInt(n).toString();
    const m = n.toExponential().split("e");
    const exp = Number(m[1]);
    if (exp < -4) {
      const e = String(-exp);
      return m[0] + "e-" + (e.length < 2 ? "0" + e : e);
    }
    // not whole and at least 1e-4: JavaScript writes it out plainly, as Python does
    return n.toString();
  };
  const repr = (v: any): string => {
    if (v === null || v === undefined) return "None";
    if (v === true) return "True";
    if (v === false) return "False";
    if (typeof v === "number") return reprNumber(v);
    if (typeof v === "bigint") return v.toString();
    if (typeof v === "string") return reprText(v);
    if (Array.isArray(v)) return "[" + v.map(repr).join(", ") + "]";
    const pairs: [any, any][] = v instanceof Map ? Array.from(v.entries()) : Object.entries(v);
    return "{" + pairs.map(([k, w]) => repr(k) + ": " + repr(w)).join(", ") + "}";
  };
  const has = (k: string): boolean => Object.prototype.hasOwnProperty.call(value, k);
  if (has("quality")) {
    const q: any = value.quality;
    if (typeof q === "string") return wrap(q);
    if (q !== null && typeof q === "object") {
      const size = Array.isArray(q) ? q.length : Object.keys(q).length;
      if (size === 0) return "";
    }
    throw new TypeError("quality is not a text");
  }
  if (!has("sequence")) throw new Error("missing key: sequence");
  const s: any = value.sequence;
  const text = typeof s === "string" ? s : repr(s);
  return wrap('"'.repeat(Array.from(text).length));
}
