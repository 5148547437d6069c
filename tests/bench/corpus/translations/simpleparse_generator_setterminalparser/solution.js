function generator_set_terminal_parser(parserList, index, parser) {
  const n = parserList.length;
  if (index < 0) {
    if (index + n < 0) throw new RangeError("index reaches before the first entry");
    parserList[index + n] = parser;
  } else {
    while (parserList.length <= index) parserList.push(null);
    parserList[index] = parser;
  }
  return { parserList: parserList };
}
