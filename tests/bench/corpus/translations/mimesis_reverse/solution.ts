function reverse(value: string): string {
  if (typeof value !== "string") throw new TypeError("a text is needed");
  return Array.from(value).reverse().join("");
}
