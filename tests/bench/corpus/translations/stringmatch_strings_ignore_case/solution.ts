function strings_ignore_case(string: string, lower: boolean = true): string {
  return lower ? string.toLowerCase() : string.toUpperCase();
}
