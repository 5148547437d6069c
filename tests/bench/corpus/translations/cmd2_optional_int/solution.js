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

function toInt(n) {
  const v = Number(n);
  return Number.isSafeInteger(v) ? v : n;
}

/**
 * @param {number | string | null} val
 * @returns {number | null}
 */
function optional_int(val) {
  const v = val;
  if (v === null || v === undefined) return null;
  if (typeof v !== "string") return typeof v === "number" ? Math.trunc(v) : typeof v === "boolean" ? Number(v) : v;
  const t = numText(v);
  if (t.toLowerCase() === "none") return null;
  if (!/^[+-]?\d+(?:_\d+)*$/.test(t)) throw new Error("not an integer: " + v);
  const digits = t.replace(/[_+-]/g, "");
  return toInt(BigInt(digits) * (t.startsWith("-") ? -1n : 1n));
}
