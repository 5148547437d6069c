function make_string(char_codes: number[]): string {
  return char_codes.map((c) => String.fromCodePoint(Number(c))).join("");
}
