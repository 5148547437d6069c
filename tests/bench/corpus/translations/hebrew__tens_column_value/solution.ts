function tens_column_value(number: number): number {
  if (number < 10) return 0;
  return Math.floor((number % 100) / 10) * 10;
}
