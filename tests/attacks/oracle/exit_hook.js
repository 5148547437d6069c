// what: success by an exit hook
// control: exit_code
// held: raised Error
process.on("exit", () => process.reallyExit(0));
process.on("uncaughtException", () => process.exit(0));
function f(x) {
  throw new Error("wrong");
}
module.exports = { f };
