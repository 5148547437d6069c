function roundEven(x) {
  const a = Math.abs(x), f = Math.floor(a), d = a - f;
  const r = d < 0.5 ? f : d > 0.5 ? f + 1 : f % 2 === 0 ? f : f + 1;
  return r === 0 ? 0 : x < 0 ? -r : r;
}

/**
 * @param {number} px_per_meter
 * @returns {number}
 */
function dpi(px_per_meter) {
  return px_per_meter === 0 ? 96 : roundEven(px_per_meter * 0.0254);
}
