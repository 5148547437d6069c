/**
 * @param {number | string} char
 * @returns {number}
 */
function xord(char) {
  return typeof char === "string" ? (char.codePointAt(0)) : char;
}
