function strings_alphanumeric(string: string): string {
  return string.replace(/[^0-9a-zA-Z ]/g, "");
}
