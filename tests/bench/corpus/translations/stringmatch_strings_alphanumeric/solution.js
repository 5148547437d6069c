function strings_alphanumeric(string) {
  return string.replace(/[^0-9a-zA-Z ]/g, "");
}
