function toInt(n: bigint): any {
  const v = Number(n);
  return Number.isSafeInteger(v) ? v : n;
}

function float_to_rational(flt: number): number[] {
  const parts: bigint[] = [];
  for (let x = flt; ; ) {
    const whole = Math.trunc(x), error = x - whole;
    parts.push(BigInt(whole));
    if (Math.abs(error) < 0.0001) break;
    if (parts.length > 990) throw new Error("no rational found");
    x = 1 / error;
  }
  let num = parts[parts.length - 1], den = 1n;
  for (let i = parts.length - 2; i >= 0; i--) [num, den] = [parts[i] * num + den, num];
  return [toInt(num), toInt(den)];
}
