function to_srgb(c: number): number {
  if (c <= 0.0031308) return 12.92 * c;
  const exponent = 1 / 2.4;
  let y = Math.pow(c, exponent);
  if (c < 1e50) {
    // Math.pow may be off in the last digit: y^12 against c^5 in doubled precision
    const mul = (a: number[], b: number[]): number[] => {
      const p = a[0] * b[0];
      const s = 134217729;
      const ah = a[0] * s - (a[0] * s - a[0]);
      const al = a[0] - ah;
      const bh = b[0] * s - (b[0] * s - b[0]);
      const bl = b[0] - bh;
      const e = ah * bh - p + ah * bl + al * bh + al * bl + (a[0] * b[1] + a[1] * b[0]);
      const h = p + e;
      return [h, p - h + e];
    };
    const c1 = [c, 0];
    const c2 = mul(c1, c1);
    const c5 = mul(mul(c2, c2), c1);
    const y1 = [y, 0];
    const y2 = mul(y1, y1);
    const y4 = mul(y2, y2);
    const y12 = mul(mul(y4, y4), y4);
    const rest = (c5[0] - y12[0] + (c5[1] - y12[1])) / y12[0];
    // 1 / 2.4 as a double is 5 / 12 + 1.850371707708594e-17
    y += y * (rest / 12 + 1.850371707708594e-17 * Math.log(c));
  }
  return 1.055 * y - 0.055;
}
