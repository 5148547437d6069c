function same(a: any, b: any): boolean {
  if (typeof a === "boolean") a = Number(a);
  if (typeof b === "boolean") b = Number(b);
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") {
    return a === b || (typeof a !== "string" && typeof b !== "string" && a !== null && b !== null && typeof a !== "object" && typeof b !== "object" && a == b);
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a)) return a.length === b.length && a.every((v: any, i: number) => same(v, b[i]));
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && same(a[k], b[k]));
}

function is_inside(parts: (number | unknown[] | object | string | null)[], container: (number | unknown[] | object | string | null)[]): boolean {
  return parts.length > container.length && container.every((v, i) => same(v, parts[i]));
}
