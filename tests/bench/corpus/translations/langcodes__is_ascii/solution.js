function is_ascii(s) {
  return !/[^\x00-\x7f]/.test(s);
}
