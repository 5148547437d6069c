function amplification(numerator: number | null, denominator: number): number | null {
  if (numerator === null || numerator === undefined) return null;
  if (denominator === null || denominator === undefined) return null;
  const d = Number(denominator);
  if (d === 0) return null;
  return Number(numerator) / d;
}
