function dpi(units_specifier, px_per_unit) {
  if (units_specifier !== 1 || !px_per_unit) return 72;
  const product = px_per_unit * 0.0254, whole = Math.floor(product), rest = product - whole;
  return rest < 0.5 || (rest === 0.5 && whole % 2 === 0) ? whole : whole + 1;
}
