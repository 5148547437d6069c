function is_ascii(string: string[]): boolean {
  for (const s of string) {
    for (let i = 0; i < s.length; i++) if (s.charCodeAt(i) >= 128) return false;
  }
  return true;
}
