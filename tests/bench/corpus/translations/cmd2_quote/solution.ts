function quote(val: string): string {
  const q = val.includes('"') ? "'" : '"';
  return q + val + q;
}
