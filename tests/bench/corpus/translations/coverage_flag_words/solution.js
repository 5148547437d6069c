/**
 * @param {number} flags
 * @param {[string, number][]} flag_defs
 * @returns {string}
 */
function flag_words(flags, flag_defs) {
  const bits = BigInt(flags);
  return flag_defs.filter(([, value]) => (bits & BigInt(value)) !== 0n).map(([word]) => word).join(", ");
}
