/**
 * @param {number} number
 * @returns {number}
 */
function tens_column_value(number) {
  if (number < 10) return 0;
  return Math.floor((number % 100) / 10) * 10;
}
