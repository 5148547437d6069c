function bit_size(num) {
  return num === 0 ? 0 : BigInt(Math.abs(num)).toString(2).length;
}
