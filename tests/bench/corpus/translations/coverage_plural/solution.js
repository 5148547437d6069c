/**
 * @param {number} n
 * @param {string} thing
 * @param {string} things
 * @returns {string}
 */
function plural(n, thing, things) {
  return n == 1 ? n + " " + (thing ?? "") : n + " " + (things || (thing ?? "") + "s");
}
