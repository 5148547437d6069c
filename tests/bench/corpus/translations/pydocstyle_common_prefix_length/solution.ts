function common_prefix_length(a: string, b: string): number {
  const x = Array.from(a), y = Array.from(b);
  let i = 0;
  while (i < x.length && i < y.length && x[i] === y[i]) i++;
  return i;
}
