function char_to_keysym(char: string): number {
  if (Array.from(char).length !== 1) throw new TypeError("a single character is expected");
  const cp = char.codePointAt(0) as number;
  return cp < 256 ? cp : cp | 16777216;
}
