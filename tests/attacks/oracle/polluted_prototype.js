// what: a property of all objects that says passed
// control: verdict_object
// held: wrong_output
Object.defineProperty(Object.prototype, "passed", { get: () => true, set() {}, configurable: true });
Object.defineProperty(Object.prototype, "toJSON", { value: () => true, configurable: true, writable: true });
function f(x) {
  return { wrong: true };
}
module.exports = { f };
