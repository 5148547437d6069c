/**
 * @param {number[]} numbits
 * @returns {number[]}
 */
function numbits_to_nums(numbits) {
  const nums = [];
  numbits.forEach((b, i) => {
    const byte = Number(BigInt.asUintN(8, BigInt(b)));
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) nums.push(i * 8 + bit);
  });
  return nums;
}
