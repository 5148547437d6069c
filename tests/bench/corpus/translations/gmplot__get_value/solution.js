function get_value(dict, keys, default_ = null, get_key = false) {
  if (dict !== null && dict !== undefined) {
    for (const key of keys) {
      if (!Object.prototype.hasOwnProperty.call(dict, key)) continue;
      const value = dict[key];
      if (value !== null && value !== undefined) return get_key ? [key, value] : value;
    }
  }
  return get_key ? [null, default_] : default_;
}
