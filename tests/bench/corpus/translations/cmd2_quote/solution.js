/**
 * @param {string} val
 * @returns {string}
 */
function quote(val) {
  const q = val.includes('"') ? "'" : '"';
  return q + val + q;
}
