// Deliberately weak judges for JavaScript; see runner.py.
const fs = require("fs");
const assert = require("assert");
const { spawnSync } = require("child_process");
const [kind, candidate, suite] = process.argv.slice(2);
const cases = JSON.parse(fs.readFileSync(suite, "utf8"));
const load = () => {
  const module = { exports: {} };
  new Function("module", "exports", "require", fs.readFileSync(candidate, "utf8"))(module, module.exports, require);
  return module.exports.f;
};
// Sloppy functions: a callee can see their arguments.
function check(given, f) {
  return f(...given.arguments) === given.expected;
}
const comparisons = {
  compare_json: (f, c) => JSON.stringify(f(...c.arguments)) === JSON.stringify(c.expected),
  compare_assert: (f, c) => (assert.deepStrictEqual(f(...c.arguments), c.expected), true),
  compare_loose: (f, c) => f(...c.arguments) == c.expected,
  compare_sloppy: (f, c) => check(c, f),
};
let verdict;
if (kind in comparisons) {
  const f = load();
  verdict = cases.every((c) => comparisons[kind](f, c));
} else if (kind === "compare_every") {
  const f = load();
  verdict = cases.every((c) => f(...c.arguments) === c.expected);
} else if (kind === "verdict_object") {
  const f = load();
  const state = {};
  for (const c of cases) if (f(...c.arguments) === c.expected) state.passed ??= true;
  verdict = state.passed;
} else if (kind === "exit_code") {
  verdict = spawnSync(process.execPath, [__filename, "child_asserts", candidate, suite]).status === 0;
} else if (kind === "frames") {
  const out = `${process.cwd()}/frames`;
  const descriptor = fs.openSync(out, "w");
  const stdio = ["ignore", "ignore", "ignore", descriptor];
  spawnSync(process.execPath, [__filename, "child_frames", candidate, suite], { stdio });
  const data = fs.readFileSync(out);
  const answers = {};
  for (let at = 0; at < data.length; at += 4 + data.readUInt32BE(at)) {
    const frame = JSON.parse(data.subarray(at + 4, at + 4 + data.readUInt32BE(at)).toString());
    answers[frame.i] ||= frame.v;
  }
  verdict = cases.every((_, i) => answers[i] === true);
} else if (kind === "child_asserts") {
  const f = load();
  for (const c of cases) assert.deepStrictEqual(f(...c.arguments), c.expected);
} else if (kind === "child_frames") {
  const f = load();
  cases.forEach((c, i) => {
    const text = Buffer.from(JSON.stringify({ i, v: f(...c.arguments) === c.expected }));
    const head = Buffer.alloc(4);
    head.writeUInt32BE(text.length);
    fs.writeSync(3, Buffer.concat([head, text]));
  });
}
process.stdout.write(verdict ? "passed\n" : "failed\n");
