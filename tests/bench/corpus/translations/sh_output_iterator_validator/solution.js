function truthy(v) {
  if (v === null || v === undefined) return false;
  if (Array.isArray(v)) return v.length > 0;
  if (typeof v === "object") return Object.keys(v).length > 0;
  if (typeof v === "number") return v !== 0;
  return Boolean(v);
}

/**
 * @param {{ iter?: string; no_out?: number | unknown[] | object | string | null }} passed_kwargs
 * @param {Record<string, number | unknown[] | object | string | null>} merged_kwargs
 * @returns {[string[], string][]}
 */
function output_iterator_validator(passed_kwargs, merged_kwargs) {
  const no_out = Object.hasOwn(passed_kwargs, "no_out") ? passed_kwargs.no_out : null;
  const iter = Object.hasOwn(passed_kwargs, "iter") ? passed_kwargs.iter : null;
  if (truthy(no_out) && (iter === "out" || iter === true)) {
    return [[["no_out", "iter"], "You cannot iterate over output if there is no output"]];
  }
  return [];
}
