function field_omit(omitempty, value) {
  if (omitempty !== true) return false;
  const v = value;
  if (v === null || v === undefined) return true;
  if (typeof v === "boolean") return false;
  if (typeof v === "number") return v === 0;
  if (typeof v === "bigint") return v.toString() === "0";
  if (typeof v === "string") return v === "";
  if (Array.isArray(v)) return v.length === 0;
  if (v instanceof Map || v instanceof Set) return v.size === 0;
  if (typeof v === "object") {
    const p = Object.getPrototypeOf(v);
    return (p === Object.prototype || p === null) && Object.keys(v).length === 0;
  }
  return false;
}
