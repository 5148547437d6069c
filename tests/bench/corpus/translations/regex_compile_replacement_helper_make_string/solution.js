/**
 * @param {number[]} char_codes
 * @returns {string}
 */
function make_string(char_codes) {
  return char_codes.map((c) => String.fromCodePoint(Number(c))).join("");
}
