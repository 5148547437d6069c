const ALIASES = [
  ["root", "root_value"],
  ["context", "context_value"],
  ["variables", "variable_values"],
  ["operation", "operation_name"],
];

/**
 * @param {{ context?: number | unknown[] | object | string | null; context_value?: number | unknown[] | object | string | null; operation?: number | unknown[] | object | string | null; operation_name?: number | unknown[] | object | string | null; root?: number | unknown[] | object | string | null; root_value?: number | unknown[] | object | string | null; variable_values?: number | unknown[] | object | string | null; variables?: number | unknown[] | object | string | null }} kwargs
 * @returns {{ context?: number | unknown[] | object | string | null; context_value?: number | unknown[] | object | string | null; operation?: number | unknown[] | object | string | null; operation_name?: number | unknown[] | object | string | null; root?: number | unknown[] | object | string | null; root_value?: number | unknown[] | object | string | null; variable_values?: number | unknown[] | object | string | null; variables?: number | unknown[] | object | string | null }}
 */
function normalize_execute_kwargs(kwargs) {
  const result = { ...kwargs };
  const has = (key) => Object.prototype.hasOwnProperty.call(result, key);
  for (const [alias, name] of ALIASES) {
    if (has(alias) && !has(name)) {
      result[name] = result[alias];
      delete result[alias];
    }
  }
  return result;
}

if (typeof module !== "undefined" && module.exports) module.exports = { normalize_execute_kwargs };
