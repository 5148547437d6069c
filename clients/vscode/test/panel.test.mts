// The panel while a model works, piece by piece.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answer, found, panel } from "./built.mts";
import { host } from "./host.mts";

type Piece = import("../src/retriever.ts").Piece;
beforeEach(() => host.reset());

const piece = (step: string, goingOn: string, ...names: string[]): Piece =>
  ({ step, goingOn, answer: answer(names.map((name) => found({ functionId: name }))), lookUps: [] }) as never;
const shown = () => host.items().map((each) => (each === panel.FURTHER ? "…" : (each as { functionId: string }).functionId));

type Gate = { signal: AbortSignal; tell: (name: string, cursor?: string) => void };

/** A panel whose questions wait for the test; what was asked, by its text and, of further results, the cursor behind it. */
function held() {
  const asked: Record<string, Gate> = {};
  const ask = (question: { query?: string; cursor?: string }, signal: AbortSignal) =>
    new Promise<ReturnType<typeof answer>>((resolve) => {
      const tell = (name: string, cursor = "") => resolve(answer([found({ functionId: name })], { nextCursor: cursor }));
      asked[`${question.query}${question.cursor ?? ""}`] = { signal, tell };
    });
  const model: Gate & { piece: (name: string) => void } = {} as never;
  const made = new panel.Panel(ask as never, ((_question: object, tell: (piece: Piece) => void, signal: AbortSignal) => {
    model.piece = (name) => tell(piece("plain", "", name));
    model.signal = signal;
    return new Promise((resolve) => (model.tell = (name) => resolve(name ? answer([found({ functionId: name })]) : undefined)));
  }) as never);
  made.attach();
  return { made, asked, model };
}

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

test("what was asked before is not shown over what is asked now", async () => {
  const { made, asked } = held();
  const one = made.run({ query: "old" } as never, "old");
  const two = made.run({ query: "new" } as never, "new");
  assert.ok(asked.old.signal.aborted && !asked.new.signal.aborted);
  asked.new.tell("new1");
  await two;
  asked.old.tell("old1");
  await one;
  assert.deepEqual(shown(), ["new1"]);
  assert.match(host.tree?.message ?? "", /^new: 1 result /);
});

test("further results of another question are not added", async () => {
  const { made, asked } = held();
  const one = made.run({ query: "old" } as never, "old");
  asked.old.tell("old1", "c");
  await one;
  const further = made.further();
  const two = made.run({ query: "new" } as never, "new");
  asked.new.tell("new1", "d");
  await two;
  asked.oldc.tell("old2", "e");
  await further;
  assert.deepEqual(shown(), ["new1", "…"]);
  void made.further();
  assert.ok("newd" in asked);
});

test("further results that are asked for twice stand there once, and the count is that of all", async () => {
  const { made, asked } = held();
  const one = made.run({ query: "q" } as never, "q");
  asked.q.tell("a", "c");
  await one;
  const first = made.further();
  const { tell } = asked.qc;
  const second = made.further();
  tell("b", "d");
  await first;
  assert.deepEqual(shown(), ["a", "b", "…"]);
  assert.match(host.tree?.message ?? "", /^q: 2 results of 9 indexed/);
  const third = made.further();
  asked.qd.tell("c", "");
  await third;
  asked.qc.tell("b", "d");
  await second;
  assert.deepEqual(shown(), ["a", "b", "c"]);
  assert.match(host.tree?.message ?? "", /^q: 3 results of 9 indexed/);
});

test("further results are asked for after a model's search was called off, too", async () => {
  const { made, asked, model } = held();
  const one = made.run({ query: "q" } as never, "q");
  asked.q.tell("a", "c");
  await one;
  const two = made.runWithModel("q", "q");
  host.callOff();
  assert.ok(model.signal.aborted);
  model.tell("");
  await two;
  const further = made.further();
  assert.ok(!asked.qc.signal.aborted);
  asked.qc.tell("b", "");
  await further;
  assert.deepEqual(shown(), ["a", "b"]);
});

test("a model that works on an older question, or on one that was cleared, says nothing any more", async () => {
  for (const next of ["new", ""]) {
    host.reset();
    const { made, asked, model } = held();
    const one = made.runWithModel("old", "old");
    model.piece("old1");
    assert.deepEqual(shown(), ["old1"]);
    if (next) {
      const two = made.run({ query: "new" } as never, "new");
      asked.new.tell("new1");
      await two;
    } else made.clear();
    assert.ok(model.signal.aborted);
    const [before, told] = [shown(), host.tree?.message];
    model.piece("old2");
    model.tell(next ? "old3" : "");
    await one;
    assert.deepEqual([shown(), host.tree?.message], [before, told]);
    assert.deepEqual(shown(), next ? ["new1"] : []);
  }
});
