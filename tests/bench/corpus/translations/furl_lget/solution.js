function lget(lst, index, other) {
  const place = index < 0 ? index + lst.length : index;
  return place >= 0 && place < lst.length ? lst[place] : other;
}
