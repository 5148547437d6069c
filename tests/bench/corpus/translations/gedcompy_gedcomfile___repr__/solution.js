/**
 * @param {(boolean | number | unknown[] | object | string | null)[]} root_elements
 * @returns {string}
 */
function gedcom_file_repr(root_elements) {
  const byCodePoint = (a, b) => {
    const x = Array.from(a);
    const y = Array.from(b);
    for (let i = 0; i < x.length && i < y.length; i++) {
      const d = (x[i].codePointAt(0)) - (y[i].codePointAt(0));
      if (d !== 0) return d;
    }
    return x.length - y.length;
  };
  const isText = (k) => typeof k === "string";
  const entries = (m) => {
    const list = m instanceof Map
      ? Array.from(m.entries())
      : Object.keys(m).map((k) => [k, m[k]]);
    list.sort((p, q) => {
      const a = p[0];
      const b = q[0];
      if (isText(a) && isText(b)) return byCodePoint(a, b);
      if (isText(a)) return 1;
      if (isText(b)) return -1;
      return a < b ? -1 : a > b ? 1 : 0;
    });
    return list;
  };
  const text = (s) => {
    const quote = s.includes("'") && !s.includes('"') ? '"' : "'";
    let out = quote;
    for (const ch of Array.from(s)) {
      const cp = ch.codePointAt(0);
      if (ch === "\\" || ch === quote) out += "\\" + ch;
      else if (ch === "\n") out += "\\n";
      else if (ch === "\r") out += "\\r";
      else if (ch === "\t") out += "\\t";
      else if (ch === " " || !/[\p{C}\p{Z}]/u.test(ch)) out += ch;
      else if (cp <= 0xff) out += "\\x" + cp.toString(16).padStart(2, "0");
      else if (cp <= 0xffff) out += "\\u" + cp.toString(16).padStart(4, "0");
      else out += "\\U" + cp.toString(16).padStart(8, "0");
    }
    return out + quote;
  };
  const num = (x) => {
    if (Number.isNaN(x)) return "nan";
    if (x === Infinity) return "inf";
    if (x === -Infinity) return "-inf";
    if (Object.is(x, -0)) return "-0.0";
    if (Number.isSafeInteger(x)) return String(x);
    const sign = x < 0 ? "-" : "";
    const parts = Math.abs(x).toExponential().split("e");
    const digits = parts[0].replace(".", "");
    const exp = Number(parts[1]);
    if (exp < -4 || exp >= 16) {
      const e = String(Math.abs(exp)).padStart(2, "0");
      const rest = digits.length > 1 ? "." + digits.slice(1) : "";
      return sign + digits[0] + rest + "e" + (exp < 0 ? "-" : "+") + e;
    }
    if (exp < 0) return sign + "0." + "0".repeat(-exp - 1) + digits;
    const whole = digits.slice(0, exp + 1).padEnd(exp + 1, "0");
    return sign + whole + "." + (digits.slice(exp + 1) || "0");
  };
  const repr = (v) => {
    if (v === null || v === undefined) return "None";
    if (v === true) return "True";
    if (v === false) return "False";
    if (typeof v === "number") return num(v);
    if (typeof v === "string") return text(v);
    if (Array.isArray(v)) return "[" + v.map((e) => repr(e)).join(", ") + "]";
    if (typeof v === "object") {
      return "{" + entries(v).map((e) => repr(e[0]) + ": " + repr(e[1])).join(", ") + "}";
    }
    return String(v);
  };
  const root = root_elements;
  let items;
  if (typeof root === "string") items = Array.from(root);
  else if (Array.isArray(root)) items = root;
  else items = entries(root).map((e) => e[0]);
  return "GedcomFile(\n" + items.map((e) => repr(e)).join(",\n") + ")";
}
