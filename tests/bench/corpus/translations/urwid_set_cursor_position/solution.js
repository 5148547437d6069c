/**
 * @param {number} x
 * @param {number} y
 * @returns {string}
 */
function set_cursor_position(x, y) {
  for (const n of [x, y]) {
    if (typeof n !== 'bigint' && !Number.isInteger(n)) throw new TypeError('x and y must be integers');
  }
  return `\u001b[${BigInt(y) + 1n};${BigInt(x) + 1n}H`;
}

if (typeof module !== 'undefined') module.exports = { set_cursor_position };
