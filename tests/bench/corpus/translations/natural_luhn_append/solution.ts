function luhn_append(number: number, chars: string): string {
  const n: any = number;
  const text: string = typeof n === "number" && Number.isInteger(n) ? BigInt(n).toString() : String(n);
  const alphabet = Array.from(chars);
  const size = alphabet.length;
  if (size === 0) throw new RangeError("no characters");
  const digits = Array.from(text).concat([alphabet[0]]).reverse();
  let sum = 0;
  digits.forEach((d, place) => {
    const value = alphabet.indexOf(d);
    if (value < 0) throw new RangeError("character not found");
    if (place % 2 === 0) sum += value;
    else sum += Math.floor((value * 2) / size) + ((value * 2) % size);
  });
  const check = sum % size;
  return text + alphabet[check === 0 ? 0 : size - check];
}
