// The double nearest to p / q.
function divide(p: bigint, q: bigint): number {
  const a = Number(p), b = Number(q);
  if (Number.isSafeInteger(a) && Number.isSafeInteger(b)) return a / b;
  const negative = p < 0n !== q < 0n;
  const x = p < 0n ? -p : p, y = q < 0n ? -q : q;
  const k = Math.max(0, y.toString(2).length - x.toString(2).length + 70);
  const s = x << BigInt(k);
  let n = s / y;
  if (s % y !== 0n) n = (n << 1n) | 1n;
  else n <<= 1n;
  const r = Number(n) * 2 ** -(k + 1);
  return negative ? -r : r;
}

function commas(s: string): string {
  const [whole, rest] = s.split(".");
  const t = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return rest === undefined ? t : t + "." + rest;
}

// x with a fixed number of decimals; its exact value decides, a half goes to the even digit.
function fixed(x: number, digits: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, Math.abs(x));
  const bits = view.getBigUint64(0), e = Number(bits >> 52n);
  const m = (bits & ((1n << 52n) - 1n)) | (e === 0 ? 0n : 1n << 52n);
  const shift = (e === 0 ? 1 : e) - 1075;
  let n = m * 10n ** BigInt(digits);
  if (shift >= 0) n <<= BigInt(shift);
  else {
    const d = 1n << BigInt(-shift), r = (n % d) * 2n;
    n /= d;
    if (r > d || (r === d && n % 2n === 1n)) n += 1n;
  }
  const s = String(n).padStart(digits + 1, "0");
  const sign = x < 0 || Object.is(x, -0) ? "-" : "";
  return sign + commas(digits === 0 ? s : s.slice(0, -digits) + "." + s.slice(-digits));
}

function to_str(size: number, suffixes: string[], base: number, precision: number | null, separator: string | null): string {
  if (precision === undefined || precision === null) precision = 1;
  if (separator === undefined) separator = " ";
  const n = BigInt(size), b = BigInt(base);
  if (n === 1n) return "1 byte";
  if (n < b) return commas(String(n)) + " bytes";
  if (suffixes.length === 0) throw new Error("no suffixes");
  let unit = b, suffix = "";
  for (suffix of suffixes) {
    unit *= b;
    if (n < unit) break;
  }
  if (unit === 0n) throw new Error("division by zero");
  return fixed(divide(b * n, unit), Number(precision)) + (separator ?? "None") + suffix;
}
