function valid(line: string): boolean | string {
  return line === "" ? "" : !line.startsWith("#");
}
