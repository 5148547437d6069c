function utf16_truncate(string, max_len) {
  let length = 0, out = "";
  for (const character of string) {
    length += character.codePointAt(0) > 65535 ? 2 : 1;
    if (length > max_len) break;
    out += character;
  }
  return out;
}
