/**
 * @param {([string, string | null])[]} names
 * @returns {string}
 */
function import_string(names) {
  return names.map(([name, asname]) => (asname === null || asname === undefined ? name : name + " as " + asname)).join(", ");
}
