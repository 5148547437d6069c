/**
 * @param {Record<string, boolean | number | unknown[] | object | string | null>} obj
 * @returns {boolean}
 */
function base_deserializer_contains_block_marker(obj) {
  const isMap = (v) => typeof v === "object" && v !== null && !Array.isArray(v);
  const keys = (m) => (m instanceof Map ? Array.from(m.keys()) : Object.keys(m));
  const at = (m, k) => (m instanceof Map ? m.get(k) : m[k]);
  const truthy = (v) => {
    if (typeof v === "number") return v !== 0;
    if (Array.isArray(v)) return v.length > 0;
    if (isMap(v)) return keys(v).length > 0;
    return Boolean(v);
  };
  const stack = [obj];
  while (stack.length > 0) {
    const m = stack.pop();
    for (const k of keys(m)) {
      const v = at(m, k);
      if (k === "__is_block__" && truthy(v)) return true;
      if (Array.isArray(v)) {
        for (const e of v) if (isMap(e)) stack.push(e);
      } else if (isMap(v)) {
        stack.push(v);
      }
    }
  }
  return false;
}
