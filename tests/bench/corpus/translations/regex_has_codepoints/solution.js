/**
 * @param {{ values?: Record<string, string> }} property
 * @returns {boolean}
 */
function has_codepoints(property) {
  const values = property.values;
  if (values === null || values === undefined) return false;
  return Object.values(values).some((v) =>
    typeof v === "string" ? v.includes("codepoints") : Array.isArray(v) ? v.includes("codepoints") : v !== null && typeof v === "object" && Object.hasOwn(v, "codepoints"));
}
