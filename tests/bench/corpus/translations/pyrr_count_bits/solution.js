/**
 * @param {number} value
 * @returns {number}
 */
function count_bits(value) {
  let n = BigInt(value);
  if (n < BigInt(0)) n = -n;
  let count = 0;
  for (const ch of n.toString(2)) if (ch === "1") count++;
  return count;
}
