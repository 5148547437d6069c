function lget(lst: number[], index: number, other: string | null): number | string | null {
  const place = index < 0 ? index + lst.length : index;
  return place >= 0 && place < lst.length ? lst[place] : other;
}
