function roundEven(x: number): number {
  const a = Math.abs(x), f = Math.floor(a), d = a - f;
  const r = d < 0.5 ? f : d > 0.5 ? f + 1 : f % 2 === 0 ? f : f + 1;
  return r === 0 ? 0 : x < 0 ? -r : r;
}

function dpi(units_specifier: number, px_per_unit: number): number {
  return units_specifier == 1 && px_per_unit ? roundEven(px_per_unit * 0.0254) : 72;
}
