/**
 * @param {(number | unknown[] | object | string | null)[]} path
 * @param {string | null} key
 * @returns {(number | unknown[] | object | string | null)[]}
 */
function path_join(path, key) {
  return key === null || key === undefined ? [...path] : [...path, key];
}
