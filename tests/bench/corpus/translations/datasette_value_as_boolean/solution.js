/**
 * @param {string} value
 * @returns {boolean}
 */
function value_as_boolean(value) {
  const v = value.toLowerCase();
  if (v === "on" || v === "true" || v === "1") return true;
  if (v === "off" || v === "false" || v === "0") return false;
  throw new Error("not a boolean value: " + value);
}
