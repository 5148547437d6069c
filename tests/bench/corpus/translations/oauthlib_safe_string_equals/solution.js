/**
 * @param {string[]} a
 * @param {string[]} b
 * @returns {boolean}
 */
function safe_string_equals(a, b) {
  if (a.length !== b.length) return false;
  let same = true;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) same = false;
  return same;
}
