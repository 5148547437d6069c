function strings_remove_punctuation(string: string): string {
  const marks = "!\"#'()*+,-./:;<=>?[]^_`{|}~\u2019\u201e\u201c\u00bb\u00ab";
  return Array.from(string).filter((ch) => marks.indexOf(ch) < 0).join("");
}
