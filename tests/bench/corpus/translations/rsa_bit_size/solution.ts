function bit_size(num: number): number {
  return num === 0 ? 0 : BigInt(Math.abs(num)).toString(2).length;
}
