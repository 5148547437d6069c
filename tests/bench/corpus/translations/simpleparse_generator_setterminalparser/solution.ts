function generator_set_terminal_parser(parserList: (number | unknown[] | object | string | null)[], index: number, parser: boolean | number | unknown[] | object | string | null): { parserList: (boolean | number | unknown[] | object | string | null)[] } {
  const list = parserList as (boolean | number | unknown[] | object | string | null)[];
  const n = list.length;
  if (index < 0) {
    if (index + n < 0) throw new RangeError("index reaches before the first entry");
    list[index + n] = parser;
  } else {
    while (list.length <= index) list.push(null);
    list[index] = parser;
  }
  return { parserList: list };
}
