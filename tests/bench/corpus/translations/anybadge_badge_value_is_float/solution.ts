function badge_value_is_float(value: number | string): boolean {
  const v: any = value;
  if (typeof v === "bigint") {
    const d = Number(v);
    if (!Number.isFinite(d)) throw new RangeError("integer too large to convert to float");
    return BigInt(d) !== v;
  }
  if (typeof v === "number") {
    if (Number.isNaN(v)) return true;
    if (!Number.isFinite(v)) throw new RangeError("cannot convert float infinity to integer");
    return !Number.isInteger(v);
  }
  if (typeof v !== "string") return false;

  const ws = "[\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";
  const s = v.replace(new RegExp("^" + ws + "+"), "").replace(new RegExp(ws + "+$"), "");
  const digits = "\\p{Nd}(?:_?\\p{Nd})*";
  if (new RegExp("^[+-]?(?:inf|infinity|nan)$", "i").test(s)) return true;
  if (!new RegExp("^[+-]?(?:" + digits + "(?:\\.(?:" + digits + ")?)?|\\." + digits + ")(?:[eE][+-]?" + digits + ")?$", "u").test(s)) {
    return false;
  }
  if (!new RegExp("^[+-]?" + digits + "$", "u").test(s)) return true;

  const nd = new RegExp("^\\p{Nd}$", "u");
  let text = "";
  for (const ch of Array.from(s)) {
    if (ch === "+" || ch === "-" || ch === "_") continue;
    const cp = ch.codePointAt(0) as number;
    if (cp >= 48 && cp <= 57) {
      text += ch;
      continue;
    }
    let back = 0;
    while (nd.test(String.fromCodePoint(cp - back - 1))) back++;
    text += String(back % 10);
  }
  text = text.replace(/^0+/, "");
  if (text === "") return false;
  if (text.length > 400) return true;
  const exact = BigInt(text);
  const near = Number(exact);
  if (!Number.isFinite(near)) return true;
  return BigInt(near) !== exact;
}
