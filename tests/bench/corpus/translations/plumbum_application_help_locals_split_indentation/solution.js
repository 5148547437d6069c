/**
 * @param {string} s
 * @returns {string[]}
 */
function split_indentation(s) {
  let i = 0;
  while (i < s.length && s[i] === ' ') i++;
  return [s.slice(0, i), s.slice(i)];
}

if (typeof module !== 'undefined') module.exports = { split_indentation };
