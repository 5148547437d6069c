function safe_string_equals(a: string[], b: string[]): boolean {
  if (a.length !== b.length) return false;
  let same = true;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) same = false;
  return same;
}
