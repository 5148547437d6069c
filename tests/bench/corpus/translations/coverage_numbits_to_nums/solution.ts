function numbits_to_nums(numbits: number[]): number[] {
  const nums: number[] = [];
  numbits.forEach((b, i) => {
    const byte = Number(BigInt.asUintN(8, BigInt(b)));
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) nums.push(i * 8 + bit);
  });
  return nums;
}
