function char_to_keysym(char) {
  if (Array.from(char).length !== 1) throw new TypeError("a single character is expected");
  const cp = char.codePointAt(0);
  return cp < 256 ? cp : cp | 16777216;
}
