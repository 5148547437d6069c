function sorter(four_item) {
  const item = four_item;
  if (item.length < 3) throw new RangeError("too few items");
  const first = item[0];
  const third = item[2];
  const empty =
    third === null || third === undefined || third === false || third === 0 || third === "" ||
    (Array.isArray(third) && third.length === 0) ||
    (typeof third === "object" && !Array.isArray(third) && Object.keys(third).length === 0);
  if (empty) {
    if (item.length < 4) throw new RangeError("too few items");
    if (typeof item[3] !== "number") throw new TypeError("the fourth item must be a number");
    return item[3] - 200;
  }
  if (typeof third !== "number") throw new TypeError("the third item must be a number");
  if (third < 10) return third - 100;
  if (typeof first !== "string") throw new TypeError("the first item must be a text");
  return first.slice(0, 4) === "auto" ? third - 100 : third;
}
