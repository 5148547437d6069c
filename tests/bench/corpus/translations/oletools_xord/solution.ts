function xord(char: number | string): number {
  return typeof char === "string" ? (char.codePointAt(0)!) : char;
}
