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

function floatToRational(flt) {
  const parts = [];
  for (let x = flt; ; ) {
    const whole = Math.trunc(x), error = x - whole;
    parts.push(BigInt(whole));
    if (Math.abs(error) < 0.0001) break;
    if (parts.length > 990) throw new Error("no rational found");
    x = 1 / error;
  }
  let num = parts[parts.length - 1], den = 1n;
  for (let i = parts.length - 2; i >= 0; i--) [num, den] = [parts[i] * num + den, num];
  return [num, den];
}

// The rational text, or null where the text is no number.
function numericToRational(text) {
  const sign = text.startsWith("-") ? "-" : "";
  const parts = text.slice(sign.length).split("/");
  if (parts.length > 2) return null;
  const a = parseFloatText(parts[0]);
  if (!a.ok) return null;
  let value = a.value;
  if (parts.length === 2) {
    const b = parseFloatText(parts[1]);
    if (!b.ok || b.value === 0) return null;
    value /= b.value;
  }
  if (!Number.isFinite(value)) return null;
  const [num, den] = floatToRational(value);
  const result = sign + num + "/" + den;
  return result.endsWith("/1") ? result.slice(0, -2) : result;
}

/**
 * @param {string} name
 * @returns {string}
 */
function standardise_name(name) {
  const rational = numericToRational(name);
  if (rational !== null) return rational;
  return Array.from(name).filter((part) => !"_- ".includes(part)).join("").toUpperCase();
}
