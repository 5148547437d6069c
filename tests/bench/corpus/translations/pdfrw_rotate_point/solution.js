function rotate_point(point, rotation) {
  if (typeof rotation !== "number" || !Number.isInteger(rotation)) throw new TypeError("rotation is not a whole number");
  const q = ((rotation % 4) + 4) % 4;
  if (q === 0) return point;
  if (point.length < 2) throw new Error("a point needs two numbers");
  const x = point[0];
  const y = point[1];
  // 0 - v: a whole 0 stays 0
  if (q === 1) return [y, 0 - x];
  if (q === 2) return [0 - x, 0 - y];
  return [0 - y, x];
}
