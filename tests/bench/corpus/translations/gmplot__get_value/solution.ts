function get_value(dict: Record<string, boolean | number | unknown[] | object | string | null>, keys: string[], default_: boolean | number | unknown[] | string | null = null, get_key: boolean = false): boolean | number | unknown[] | object | string | null {
  if (dict !== null && dict !== undefined) {
    for (const key of keys) {
      if (!Object.prototype.hasOwnProperty.call(dict, key)) continue;
      const value = dict[key];
      if (value !== null && value !== undefined) return get_key ? [key, value] : value;
    }
  }
  return get_key ? [null, default_] : default_;
}
