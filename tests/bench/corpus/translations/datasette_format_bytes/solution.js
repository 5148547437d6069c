function isSpace(c) {
  return (c >= 9 && c <= 13) || (c >= 0x1c && c <= 0x20) || c === 0x85 || c === 0xa0 || c === 0x1680 ||
    (c >= 0x2000 && c <= 0x200a) || c === 0x2028 || c === 0x2029 || c === 0x202f || c === 0x205f || c === 0x3000;
}

// Strips white space, and turns decimal digits of any script into 0-9.
function numText(s) {
  let i = 0, j = s.length;
  const space = (c) => isSpace(c) && !(c >= 0x1c && c <= 0x1f);
  while (i < j && space(s.charCodeAt(i))) i++;
  while (j > i && space(s.charCodeAt(j - 1))) j--;
  return s.slice(i, j).replace(/\p{Nd}/gu, (ch) => {
    const c = ch.codePointAt(0);
    let n = 0;
    while (n < c && /\p{Nd}/u.test(String.fromCodePoint(c - n - 1))) n++;
    return String(n % 10);
  });
}

// NaN with ok = false where the text is no number.
function parseFloatText(s) {
  const t = numText(s);
  const w = /^([+-]?)(inf|infinity|nan)$/i.exec(t);
  if (w) {
    const sign = w[1] === "-" ? -1 : 1;
    return { ok: true, value: w[2].toLowerCase() === "nan" ? NaN : sign * Infinity };
  }
  if (!/^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i.test(t)) return { ok: false, value: NaN };
  return { ok: true, value: Number(t.replace(/_/g, "")) };
}

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

// Rounds a positive number to one decimal, a half to the even digit.
function oneDecimal(x) {
  if (!(x < 2 ** 52)) return x;
  const f = Math.floor(x);
  return x - f === 0.25 ? Number(f + ".2") : Number(x.toFixed(1));
}

/**
 * @param {string} bytes
 * @returns {string}
 */
function format_bytes(bytes) {
  const p = parseFloatText(bytes);
  if (!p.ok) throw new Error("not a number: " + bytes);
  let size = p.value;
  if (size < 1024) return String(BigInt(Math.trunc(size))) + " bytes";
  let unit = "";
  size /= 1024;
  for (unit of ["KB", "MB", "GB", "TB"]) {
    if (size < 1024) break;
    size /= 1024;
  }
  return floatRepr(oneDecimal(size)) + " " + unit;
}
