function camel_case(value: string): string {
  const words = value.split(/\s+/).filter((word) => word);
  return words.map((word, place) => (place ? capitalized(word) : word.toLowerCase())).join("");
}

function capitalized(word: string): string {
  const all = Array.from(word);
  return all[0].toUpperCase() + all.slice(1).join("").toLowerCase();
}
