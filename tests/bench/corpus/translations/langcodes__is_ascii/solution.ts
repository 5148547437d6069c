function is_ascii(s: string): boolean {
  return !/[^\x00-\x7f]/.test(s);
}
