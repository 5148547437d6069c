/**
 * @param {number} low
 * @param {number} mid
 * @param {number} high
 * @param {boolean} value
 * @returns {{ high: number; low: number; mid: number }}
 */
function binary_search_respond(low, mid, high, value) {
  const whole = (x) => typeof x === 'bigint' || Number.isInteger(x);
  if (value) high = mid;
  else low = typeof mid === 'bigint' ? mid + 1n : mid + 1;
  let next;
  if (whole(low) && whole(high)) {
    // an arithmetic shift rounds down
    next = Number((BigInt(low) + BigInt(high)) >> 1n);
  } else {
    next = Math.floor((Number(low) + Number(high)) / 2);
  }
  return { low: Number(low), mid: next, high: Number(high) };
}

if (typeof module !== 'undefined') module.exports = { binary_search_respond };
