/**
 * @param {Record<string, boolean | number | unknown[] | object | string | null>} value
 * @returns {boolean | number | unknown[] | object | string | null}
 */
function GetComments(value) {
  const m = value;
  for (const key of ["description", "annotations"]) {
    if (m instanceof Map) {
      if (m.has(key)) return m.get(key);
    } else if (Object.prototype.hasOwnProperty.call(m, key)) {
      return m[key];
    }
  }
  return "";
}
