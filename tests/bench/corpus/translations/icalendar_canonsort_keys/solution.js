/**
 * @param {number[]} keys
 * @param {number[] | null} canonical_order
 * @returns {number[]}
 */
function canonsort_keys(keys, canonical_order) {
  const index = new Map();
  (canonical_order ?? []).forEach((k, i) => index.set(k, i));
  const head = keys.filter((k) => index.has(k)).sort((a, b) => index.get(a) - index.get(b));
  const tail = keys.filter((k) => !index.has(k)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return head.concat(tail);
}
