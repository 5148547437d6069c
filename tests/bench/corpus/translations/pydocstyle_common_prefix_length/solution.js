/**
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
function common_prefix_length(a, b) {
  const x = Array.from(a), y = Array.from(b);
  let i = 0;
  while (i < x.length && i < y.length && x[i] === y[i]) i++;
  return i;
}
