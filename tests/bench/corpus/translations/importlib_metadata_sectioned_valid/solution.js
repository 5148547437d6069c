function valid(line) {
  return line === "" ? "" : !line.startsWith("#");
}
