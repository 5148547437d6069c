function strings_ignore_case(string, lower = true) {
  return lower ? string.toLowerCase() : string.toUpperCase();
}
