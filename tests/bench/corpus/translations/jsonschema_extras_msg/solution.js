function reprText(text) {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let out = quote;
  for (const ch of text) {
    const cp = ch.codePointAt(0);
    if (ch === quote || ch === "\\") out += "\\" + ch;
    else if (ch === "\n") out += "\\n";
    else if (ch === "\r") out += "\\r";
    else if (ch === "\t") out += "\\t";
    else if (ch !== " " && /^[\p{C}\p{Z}]$/u.test(ch)) {
      const hex = cp.toString(16);
      if (cp <= 0xff) out += "\\x" + hex.padStart(2, "0");
      else if (cp <= 0xffff) out += "\\u" + hex.padStart(4, "0");
      else out += "\\U" + hex.padStart(8, "0");
    } else out += ch;
  }
  return out + quote;
}

function compareTexts(a, b) {
  const x = Array.from(a);
  const y = Array.from(b);
  const n = Math.min(x.length, y.length);
  for (let i = 0; i < n; i++) {
    const d = x[i].codePointAt(0) - y[i].codePointAt(0);
    if (d !== 0) return d;
  }
  return x.length - y.length;
}

function compareKeys(a, b) {
  const ta = typeof a === "string";
  const tb = typeof b === "string";
  if (ta && tb) return compareTexts(a, b);
  if (ta !== tb) return ta ? 1 : -1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function repr(value) {
  if (value === null || value === undefined) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return reprText(value);
  if (Array.isArray(value)) return "[" + value.map(repr).join(", ") + "]";
  if (typeof value === "object") {
    const entries = value instanceof Map ? Array.from(value.entries()) : Object.entries(value);
    entries.sort((p, q) => compareKeys(p[0], q[0]));
    return "{" + entries.map(([k, v]) => repr(k) + ": " + repr(v)).join(", ") + "}";
  }
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value).toString();
  return String(value);
}

/**
 * @param {(number | unknown[] | object | string | null)[]} extras
 * @returns {string[]}
 */
function extras_msg(extras) {
  return [extras.map(repr).join(", "), extras.length === 1 ? "was" : "were"];
}

if (typeof module !== "undefined" && module.exports) module.exports = { extras_msg };
