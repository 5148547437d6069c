function should_defer(parent_defer_usages, defer_usage_set) {
  const parent = parent_defer_usages;
  if (parent === null || parent === undefined) return true;
  const isNum = (v) => typeof v === "number" || typeof v === "bigint";

  function entries(m) {
    return m instanceof Map ? [...m.entries()] : Object.entries(m);
  }

  function equal(a, b) {
    if (a === b) return true;
    if (isNum(a) && isNum(b)) return a == b;
    if (a === null || b === null || typeof a !== "object" || typeof b !== "object") return false;
    if (Array.isArray(a) || Array.isArray(b)) {
      if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
      return a.every((x, i) => equal(x, b[i]));
    }
    const ea = entries(a);
    const mb = new Map(entries(b));
    if (ea.length !== mb.size) return false;
    return ea.every(([k, v]) => mb.has(k) && equal(v, mb.get(k)));
  }

  function contains(item) {
    if (typeof parent === "string") {
      return typeof item === "string" && parent.includes(item);
    }
    if (Array.isArray(parent)) return parent.some((x) => equal(x, item));
    if (parent instanceof Map) return [...parent.keys()].some((k) => equal(k, item));
    return typeof item === "string" && Object.prototype.hasOwnProperty.call(parent, item);
  }

  return !(defer_usage_set || []).every(contains);
}
if (typeof module !== "undefined") module.exports = { should_defer };
