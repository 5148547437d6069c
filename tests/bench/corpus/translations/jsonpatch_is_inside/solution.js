function same(a, b) {
  if (typeof a === "boolean") a = Number(a);
  if (typeof b === "boolean") b = Number(b);
  if (a === null || b === null || typeof a !== "object" || typeof b !== "object") {
    return a === b || (typeof a !== "string" && typeof b !== "string" && a !== null && b !== null && typeof a !== "object" && typeof b !== "object" && a == b);
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a)) return a.length === b.length && a.every((v, i) => same(v, b[i]));
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && same(a[k], b[k]));
}

/**
 * @param {(number | unknown[] | object | string | null)[]} parts
 * @param {(number | unknown[] | object | string | null)[]} container
 * @returns {boolean}
 */
function is_inside(parts, container) {
  return parts.length > container.length && container.every((v, i) => same(v, parts[i]));
}
