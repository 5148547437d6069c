function expand_bottom(values: string[][], start: number, end: number, col: number): number {
  const n = values.length;
  for (let r = start; r < end; r++) {
    if (r >= n) return n - 1;
    const ri = r < 0 ? r + n : r;
    if (ri < 0) throw new RangeError("row index out of range");
    const row = values[ri];
    if (col >= row.length) return r - 1;
    const ci = col < 0 ? col + row.length : col;
    if (ci < 0) throw new RangeError("column index out of range");
    if (row[ci] === "") return r - 1;
  }
  return end - 1;
}
