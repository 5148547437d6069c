function toInt(n: bigint): any {
  const v = Number(n);
  return Number.isSafeInteger(v) ? v : n;
}

function roundEven(x: number): number {
  const a = Math.abs(x), f = Math.floor(a), d = a - f;
  const r = d < 0.5 ? f : d > 0.5 ? f + 1 : f % 2 === 0 ? f : f + 1;
  return r === 0 ? 0 : x < 0 ? -r : r;
}

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

function ratio_reduce(total: number, ratios: number[], maximums: number[], values: number[]): number[] {
  const n = Math.min(ratios.length, maximums.length);
  const r = [], count = Math.min(n, values.length);
  let totalRatio = 0n, remaining = BigInt(total);
  for (let i = 0; i < n; i++) {
    r.push(maximums[i] ? BigInt(ratios[i]) : 0n);
    totalRatio += r[i];
  }
  if (totalRatio === 0n) return [...values];
  const result = [];
  for (let i = 0; i < count; i++) {
    const value = BigInt(values[i]), maximum = BigInt(maximums[i]);
    if (r[i] !== 0n && totalRatio > 0n) {
      let part = BigInt(roundEven(divide(r[i] * remaining, totalRatio)));
      if (maximum < part) part = maximum;
      result.push(toInt(value - part));
      remaining -= part;
      totalRatio -= r[i];
    } else {
      result.push(toInt(value));
    }
  }
  return result;
}
