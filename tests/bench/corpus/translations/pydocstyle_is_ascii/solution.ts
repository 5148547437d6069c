function is_ascii(string: string): boolean {
  for (const character of string) if (character.codePointAt(0)! >= 128) return false;
  return true;
}
