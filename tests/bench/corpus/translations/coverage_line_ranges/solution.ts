function line_ranges(statements: number[], lines: number[]): number[][] {
  const s = [...statements].sort((a, b) => a - b), l = [...lines].sort((a, b) => a - b);
  const pairs: number[][] = [];
  let start = 0, end = 0, next = 0; // start 0: no range is open
  for (const x of s) {
    if (next >= l.length) break;
    if (x === l[next]) {
      next++;
      if (start === 0) start = x;
      end = x;
    } else if (start !== 0) {
      pairs.push([start, end]);
      start = 0;
    }
  }
  if (start !== 0) pairs.push([start, end]);
  return pairs;
}
