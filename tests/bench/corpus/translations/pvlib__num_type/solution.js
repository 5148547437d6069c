function num_type(value) {
  if (typeof value !== "string") throw new TypeError("not a text");
  const SP = "\\t\\n\\v\\f\\r\\x1c-\\x1f \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000";
  const D = "\\p{Nd}(?:_?\\p{Nd})*";
  const nd = /^\p{Nd}$/u;
  const isDigit = (cp) => cp >= 0 && nd.test(String.fromCodePoint(cp));
  const ascii = (t) => {
    let out = "";
    for (const ch of t) {
      const cp = ch.codePointAt(0);
      if (ch === "_") continue;
      if (cp > 127 && isDigit(cp)) {
        let k = 0;
        while (isDigit(cp - k - 1)) k++;
        out += String(k % 10);
      } else {
        out += ch;
      }
    }
    return out;
  };
  const t = value
    .replace(new RegExp("^[" + SP + "]+", "u"), "")
    .replace(new RegExp("[" + SP + "]+$", "u"), "");
  if (value.includes(".")) {
    const re = new RegExp("^[+-]?(?:" + D + "\\.(?:" + D + ")?|\\." + D + ")(?:[eE][+-]?" + D + ")?$", "u");
    return re.test(t) ? Number(ascii(t)) : value;
  }
  const re = new RegExp("^[+-]?" + D + "$", "u");
  if (!re.test(t)) return value;
  const a = ascii(t);
  if (a.replace(/^[+-]/, "").length > 4300) return value;
  const n = Number(a);
  return n === 0 ? 0 : n;
}
