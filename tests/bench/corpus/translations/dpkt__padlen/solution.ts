function padlen(s: string): number {
  return (4 - (Array.from(s).length % 4)) % 4;
}
