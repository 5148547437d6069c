/**
 * @param {number[]} iterable
 * @returns {string}
 */
function determine_entry_type(iterable) {
  let low = Infinity, high = -Infinity;
  for (const x of iterable) {
    const v = Number(x);
    if (v < low) low = v;
    if (v > high) high = v;
  }
  if (iterable.length === 0 || (low >= 0 && high <= 0xff)) return "uint8_t";
  return low >= 0 && high <= 0xffff ? "uint16_t" : "uint32_t";
}
