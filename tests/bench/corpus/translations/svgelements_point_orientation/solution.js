function orientation(p, q, r) {
  // Whole numbers are held as bigint (exact), all others as double-precision numbers.
  function lift(x) {
    return typeof x === "number" && Number.isInteger(x) ? BigInt(x) : x;
  }
  function minus(a, b) {
    return typeof a === "bigint" && typeof b === "bigint" ? a - b : Number(a) - Number(b);
  }
  function times(a, b) {
    return typeof a === "bigint" && typeof b === "bigint" ? a * b : Number(a) * Number(b);
  }
  for (const point of [p, q, r]) {
    if (point.length < 2) throw new RangeError("a point needs two coordinates");
  }
  const px = lift(p[0]), py = lift(p[1]);
  const qx = lift(q[0]), qy = lift(q[1]);
  const rx = lift(r[0]), ry = lift(r[1]);
  const value = minus(times(minus(qy, py), minus(rx, qx)), times(minus(qx, px), minus(ry, qy)));
  if (value == 0) return 0;
  return value > 0 ? 1 : 2;
}
