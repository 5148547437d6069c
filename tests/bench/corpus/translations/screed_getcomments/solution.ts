function GetComments(value: Record<string, boolean | number | unknown[] | object | string | null>): boolean | number | unknown[] | object | string | null {
  const m: any = value;
  for (const key of ["description", "annotations"]) {
    if (m instanceof Map) {
      if (m.has(key)) return m.get(key);
    } else if (Object.prototype.hasOwnProperty.call(m, key)) {
      return m[key];
    }
  }
  return "";
}
