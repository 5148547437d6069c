/**
 * @param {number | unknown[] | string} value
 * @returns {number | unknown[] | null}
 */
function map_season_episode(value) {
  const isDigit = (cp) => cp >= 0 && /\p{Nd}/u.test(String.fromCodePoint(cp));
  const digit = (cp) => {
    let start = cp;
    while (isDigit(start - 1)) start--;
    return (cp - start) % 10;
  };
  const parse = (s) => {
    const t = s.replace(/^\p{White_Space}+/u, "").replace(/\p{White_Space}+$/u, "");
    if (!/^[+-]?\p{Nd}+(?:_\p{Nd}+)*$/u.test(t)) return null;
    let out = "";
    for (const ch of Array.from(t)) {
      if (ch === "_" || ch === "+") continue;
      out += ch === "-" ? "-" : String(digit(ch.codePointAt(0)));
    }
    return Number(out) + 0;
  };
  const convert = (v) => {
    if (typeof v === "bigint") return v;
    if (typeof v === "number") {
      if (Number.isNaN(v)) return null;
      if (!Number.isFinite(v)) throw new RangeError("overflow: an infinite number");
      return Math.trunc(v) + 0;
    }
    if (typeof v === "string") return parse(v);
    return null;
  };
  const given = value;
  if (!Array.isArray(given)) return convert(given);
  const found = given.map((e) => convert(e)).filter((e) => e !== null);
  if (found.length === 0) return null;
  return found.length === 1 ? found[0] : found;
}
