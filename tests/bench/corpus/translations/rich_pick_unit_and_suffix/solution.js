function toInt(n) {
  const v = Number(n);
  return Number.isSafeInteger(v) ? v : n;
}

/**
 * @param {number} size
 * @param {string[]} suffixes
 * @param {number} base
 * @returns {[number, string]}
 */
function pick_unit_and_suffix(size, suffixes, base) {
  if (suffixes.length === 0) throw new Error("no suffixes");
  const n = BigInt(size), b = BigInt(base);
  let unit = 1n;
  for (let i = 0; ; i++) {
    if (n < unit * b || i === suffixes.length - 1) return [toInt(unit), suffixes[i]];
    unit *= b;
  }
}
