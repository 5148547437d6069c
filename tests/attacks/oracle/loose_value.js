// what: an object that is loosely equal
// control: compare_loose
// held: wrong_output
function f(x) {
  // Loosely equal to its own text, which a runner that prints both sides sees as the same.
  return [x * 31 + 7];
}
module.exports = { f };
