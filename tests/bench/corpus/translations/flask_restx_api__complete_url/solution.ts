function api_complete_url(prefix: string, url_part: boolean | number | unknown[] | object | string | null, registration_prefix: string): string {
  const piece = (v: unknown): string => {
    if (typeof v === "string") return v;
    if (v === null || v === undefined || v === false) return "";
    if (typeof v === "number" && v === 0) return "";
    if (typeof v === "bigint" && v.toString() === "0") return "";
    if (Array.isArray(v)) {
      if (v.length === 0) return "";
    } else if (v instanceof Map) {
      if (v.size === 0) return "";
    } else if (typeof v === "object") {
      if (Object.keys(v as object).length === 0) return "";
    }
    throw new TypeError("a part is neither a text nor absent");
  };
  return piece(registration_prefix) + piece(prefix) + piece(url_part);
}
