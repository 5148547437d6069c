function reverse(value) {
  if (typeof value !== "string") throw new TypeError("a text is needed");
  return Array.from(value).reverse().join("");
}
