/**
 * @param {string} s
 * @returns {number}
 */
function padlen(s) {
  return (4 - (Array.from(s).length % 4)) % 4;
}
