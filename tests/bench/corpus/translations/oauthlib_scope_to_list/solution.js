function floatRepr(x) {
  if (Number.isNaN(x)) return "nan";
  if (x === Infinity) return "inf";
  if (x === -Infinity) return "-inf";
  if (x === 0) return Object.is(x, -0) ? "-0.0" : "0.0";
  const [m, e] = x.toExponential().split("e");
  const n = Number(e);
  if (n < -4 || n >= 16) {
    const a = String(Math.abs(n));
    return m + "e" + (n < 0 ? "-" : "+") + (a.length < 2 ? "0" + a : a);
  }
  const s = String(x);
  return s.includes(".") ? s : s + ".0";
}

function compareText(a, b) {
  const x = Array.from(a), y = Array.from(b);
  for (let i = 0; i < x.length && i < y.length; i++) {
    const d = x[i].codePointAt(0) - y[i].codePointAt(0);
    if (d !== 0) return d;
  }
  return x.length - y.length;
}

function reprText(s) {
  const q = s.includes("'") && !s.includes('"') ? '"' : "'";
  let out = q;
  for (const ch of s) {
    const c = ch.codePointAt(0);
    if (ch === q || ch === "\\") out += "\\" + ch;
    else if (ch === "\n") out += "\\n";
    else if (ch === "\r") out += "\\r";
    else if (ch === "\t") out += "\\t";
    else if (ch !== " " && /[\p{C}\p{Z}]/u.test(ch)) {
      const h = c.toString(16);
      if (c < 0x100) out += "\\x" + h.padStart(2, "0");
      else if (c < 0x10000) out += "\\u" + h.padStart(4, "0");
      else out += "\\U" + h.padStart(8, "0");
    } else out += ch;
  }
  return out + q;
}

function repr(v) {
  if (v === null || v === undefined) return "None";
  if (typeof v === "boolean") return v ? "True" : "False";
  if (typeof v === "string") return reprText(v);
  if (typeof v === "number") return Number.isSafeInteger(v) && !Object.is(v, -0) ? String(v) : floatRepr(v);
  if (Array.isArray(v)) return "[" + v.map(repr).join(", ") + "]";
  if (typeof v === "object") {
    return "{" + Object.keys(v).sort(compareText).map((k) => reprText(k) + ": " + repr(v[k])).join(", ") + "}";
  }
  return String(v);
}

function str(v) {
  return typeof v === "string" ? v : repr(v);
}

function isSpace(c) {
  return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c === 0x85 || c === 0xa0 || c === 0x1680 ||
    (c >= 0x2000 && c <= 0x200a) || c === 0x2028 || c === 0x2029 || c === 0x202f || c === 0x205f || c === 0x3000;
}

function strip(s) {
  let i = 0, j = s.length;
  while (i < j && isSpace(s.charCodeAt(i))) i++;
  while (j > i && isSpace(s.charCodeAt(j - 1))) j--;
  return s.slice(i, j);
}

/**
 * @param {unknown[] | string | null} scope
 * @returns {string[] | null}
 */
function scope_to_list(scope) {
  if (scope === null || scope === undefined) return null;
  if (Array.isArray(scope)) return scope.map(str);
  return strip(String(scope)).split(" ");
}
