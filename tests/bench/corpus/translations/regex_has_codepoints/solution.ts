function has_codepoints(property: { values?: Record<string, string> }): boolean {
  const values = property.values;
  if (values === null || values === undefined) return false;
  return Object.values(values as Record<string, any>).some((v) =>
    typeof v === "string" ? v.includes("codepoints") : Array.isArray(v) ? v.includes("codepoints") : v !== null && typeof v === "object" && Object.hasOwn(v, "codepoints"));
}
