function get_dict_arg(name, expected_args, expected_kwargs) {
  const isMap = (v) => v !== null && typeof v === "object" && !Array.isArray(v);
  const size = (m) => (m instanceof Map ? m.size : Object.keys(m).length);
  const args = expected_args || [];
  if (expected_kwargs && size(expected_kwargs) > 0) {
    if (args.length > 0) {
      throw new TypeError(`${name} requires either a single argument or kwargs, not both`);
    }
    return expected_kwargs;
  }
  if (args.length === 0) return {};
  if (args.length > 1) {
    throw new TypeError(`${name} expected at most 1 argument, got ${args.length}`);
  }
  if (!isMap(args[0])) {
    throw new TypeError(`expected_values must be a dict, got ${typeof args[0]}`);
  }
  return args[0];
}
if (typeof module !== "undefined") module.exports = { get_dict_arg };
