function base_deserializer_contains_block_marker(obj: Record<string, boolean | number | unknown[] | object | string | null>): boolean {
  const isMap = (v: any): boolean => typeof v === "object" && v !== null && !Array.isArray(v);
  const keys = (m: any): any[] => (m instanceof Map ? Array.from(m.keys()) : Object.keys(m));
  const at = (m: any, k: any): any => (m instanceof Map ? m.get(k) : m[k]);
  const truthy = (v: any): boolean => {
    if (typeof v === "number") return v !== 0;
    if (Array.isArray(v)) return v.length > 0;
    if (isMap(v)) return keys(v).length > 0;
    return Boolean(v);
  };
  const stack: any[] = [obj];
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
