function _items(structure: any[]): [number, any][] {
  return structure.map((item, place) => [place, item]);
}
