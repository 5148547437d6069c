function roundEven(x) {
  const a = Math.abs(x), f = Math.floor(a), d = a - f;
  const r = d < 0.5 ? f : d > 0.5 ? f + 1 : f % 2 === 0 ? f : f + 1;
  return r === 0 ? 0 : x < 0 ? -r : r;
}

/**
 * @param {number} units_specifier
 * @param {number} px_per_unit
 * @returns {number}
 */
function dpi(units_specifier, px_per_unit) {
  return units_specifier == 1 && px_per_unit ? roundEven(px_per_unit * 0.0254) : 72;
}
