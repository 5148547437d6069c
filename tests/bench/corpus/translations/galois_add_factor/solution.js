/**
 * @param {{ composite: number; factors?: number[] }} row
 * @param {number} factor
 * @returns {{ composite: number; factors?: number[] }}
 */
function add_factor(row, factor) {
  const result = { ...row };
  if (Array.isArray(row.factors)) result.factors = row.factors.slice();
  let composite = BigInt(row.composite);
  const f = BigInt(factor);
  if (f === 0n) throw new RangeError('division by zero');
  if (composite % f !== 0n) return result;
  if (composite === 0n || f === 1n || f === -1n) throw new RangeError('the value can be divided without end');
  const factors = result.factors;
  if (!factors) throw new Error('no factors');
  const index = Number(f < 0n ? f + BigInt(factors.length) : f);
  const plain = (x) => {
    const n = Number(x);
    return Number.isSafeInteger(n) ? n : x;
  };
  while (composite % f === 0n) {
    composite /= f;
    if (index < 0 || index >= factors.length) throw new RangeError('index out of range');
    // the position is the factor itself; a factor already listed is counted up, else it starts at 1
    if (factors.some((x) => (typeof x === 'number' || typeof x === 'bigint') && x == f)) {
      const old = factors[index];
      factors[index] = typeof old === 'bigint' ? old + 1n : old + 1;
    } else {
      factors[index] = 1;
    }
  }
  result.composite = plain(composite);
  return result;
}

if (typeof module !== 'undefined') module.exports = { add_factor };
