// The panel while a model works, piece by piece.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answer, found, panel } from "./built.mts";
import { host } from "./host.mts";

type Piece = import("../src/retriever.ts").Piece;
beforeEach(() => host.reset());

const piece = (step: string, goingOn: string, ...names: string[]): Piece =>
  ({ step, goingOn, answer: answer(names.map((name) => found({ functionId: name }))), lookUps: [] }) as never;
const shown = () => host.items().map((each) => (each as { functionId: string }).functionId);

test("each piece takes the place of the one before, and the answer that of all", async () => {
  const seen: string[][] = [];
  const made = new panel.Panel(async () => undefined, async (question, tell) => {
    assert.deepEqual(question, { query: "cut text", mode: "augmented" });
    for (const each of [piece("plain", "a model reads", "a", "b"), piece("compare", "", "c", "a")]) {
      tell(each);
      seen.push(shown());
      assert.match(host.tree?.message ?? "", /^cut: 2 results.*…$/);
    }
    return answer([found({ functionId: "c" })]);
  });
  made.attach();
  await made.runWithModel("cut text", "cut");
  assert.deepEqual(seen, [["a", "b"], ["c", "a"]]);
  assert.deepEqual(shown(), ["c"]);
  assert.deepEqual(host.progress, ["A model reads", "The search goes on"]);
  assert.match(host.tree?.message ?? "", /^cut: 1 result of 9 indexed\.$/);
  // The panel is opened once, not with every piece.
  assert.equal(host.tree?.revealed.length, 1);
});

test("who calls it off keeps what was there", async () => {
  const made = new panel.Panel(async () => undefined, async (_question, tell, signal) => {
    tell(piece("plain", "", "a", "b"));
    host.callOff();
    assert.ok(signal.aborted);
    return undefined;
  });
  made.attach();
  await made.runWithModel("cut text", "cut");
  assert.deepEqual(shown(), ["a", "b"]);
  assert.match(host.tree?.message ?? "", /^cut: 2 results without the model's last word\.$/);
});
