function _items(structure) {
  return structure.map((item, place) => [place, item]);
}
