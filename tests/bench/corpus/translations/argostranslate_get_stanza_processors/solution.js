function get_stanza_processors(lang_code, resources) {
  const truthy = (v) => {
    if (v === null || v === undefined || v === false || v === "") return false;
    if (typeof v === "number") return v !== 0; // NaN counts as true
    if (typeof v === "bigint") return v.toString() !== "0";
    if (Array.isArray(v)) return v.length > 0;
    if (v instanceof Map || v instanceof Set) return v.size > 0;
    if (typeof v === "object") return Object.keys(v).length > 0;
    return true;
  };
  if (!Object.prototype.hasOwnProperty.call(resources, lang_code)) return "tokenize";
  const entry = resources[lang_code];
  const has = Object.prototype.hasOwnProperty.call(entry, "mwt");
  return has && truthy(entry.mwt) ? "tokenize,mwt" : "tokenize";
}
