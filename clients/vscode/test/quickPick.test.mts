import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { answer, found, places, quickPick, retriever } from "./built.mts";
import { host, until } from "./host.mts";

type Asked = { query: string; signal: AbortSignal; tell: (told: unknown) => void; fail: (error: Error) => void };
let asked: Asked[];
let shown: { id: string; preview: boolean; preserveFocus: boolean }[];

beforeEach(() => {
  host.reset();
  [asked, shown] = [[], []];
});

function open() {
  quickPick.openQuickPick({
    quietMs: 0,
    ask: (question, signal) =>
      new Promise((tell, fail) => {
        signal.addEventListener("abort", () => fail(new retriever.Abandoned()));
        asked.push({ query: String(question.query), signal, tell: tell as never, fail });
      }),
    show: async (one, options) => void shown.push({ id: one.functionId, ...options }),
  });
  return host.boxes.at(-1)!;
}

test("results come while somebody types, in the order of the answer", async () => {
  const box = open();
  box.type("  shorten ");
  await until(() => asked.length === 1 && box.busy);
  assert.equal(asked[0].query, "shorten");
  asked[0].tell(answer([found({ functionId: "z" }), found({ functionId: "a" })], { indexLag: 3, note: "One model is away." }));
  await until(() => box.items.length === 2);
  assert.deepEqual(box.items.map((each) => (each as unknown as { found: { functionId: string } }).found.functionId), ["z", "a"]);
  assert.ok(box.items.every((each) => each.alwaysShow));
  assert.equal((box as unknown as { sortByLabel: boolean }).sortByLabel, false);
  assert.equal(box.title, "Touchstone: 2 results of 9 indexed, 3 not yet. One model is away.");
  assert.equal(box.busy, false);
});

test("only the last question counts", async () => {
  const box = open();
  box.type("one");
  await until(() => asked.length === 1);
  box.type("two");
  await until(() => asked.length === 2);
  assert.ok(asked[0].signal.aborted && !asked[1].signal.aborted);
  asked[1].tell(answer([found({ functionId: "two" })]));
  await until(() => box.items.length === 1);
  box.type("");
  await until(() => box.items.length === 0);
  assert.equal(asked.length, 2);
});

test("letters that follow at once are one question", async () => {
  const box = open();
  for (const text of ["s", "sh", "sho"]) box.type(text);
  await until(() => asked.length > 0);
  assert.deepEqual(asked.map((each) => each.query), ["sho"]);
});

test("nothing found and what went wrong are told in the list", async () => {
  const box = open();
  box.type("a");
  await until(() => asked.length === 1);
  asked[0].tell(answer([], { note: "nothing indexed matches" }));
  await until(() => box.items[0]?.detail === "nothing indexed matches");
  box.type("b");
  await until(() => asked.length === 2);
  asked[1].fail(new retriever.RetrieverError("Nothing answers."));
  await until(() => box.items[0]?.detail === "Nothing answers.");
  box.goTo(0);
  box.accept();
  assert.deepEqual(shown, []);
  assert.ok(box.shown);
});

test("what is chosen is previewed, and opened on Enter", async () => {
  const box = open();
  box.type("a");
  await until(() => asked.length === 1);
  asked[0].tell(answer([found({ functionId: "one" }), found({ functionId: "two" })]));
  await until(() => box.items.length === 2);
  box.goTo(1);
  assert.deepEqual(shown, [{ id: "two", preview: true, preserveFocus: true }]);
  box.accept();
  assert.deepEqual(shown.at(-1), { id: "two", preview: false, preserveFocus: false });
  assert.ok(!box.shown && box.disposed);
  assert.deepEqual(host.opened, []);
});

test("who only looked is back where they were, and nothing runs on", async () => {
  host.edit("one\ntwo\nthree", 1, 2);
  const box = open();
  box.type("a");
  await until(() => asked.length === 1);
  box.hide();
  assert.ok(asked[0].signal.aborted && box.disposed);
  await until(() => host.opened.length === 1);
  assert.deepEqual([host.opened[0].uri, host.opened[0].line], ["untitled:one", 1]);
});

test("a list that is emptied or could not be asked for tells no count of an older one", async () => {
  const box = open();
  box.type("a");
  await until(() => asked.length === 1);
  asked[0].tell(answer([found()]));
  await until(() => box.items.length === 1);
  assert.match(box.title, /1 result /);
  box.type("b");
  await until(() => asked.length === 2);
  asked[1].fail(new retriever.RetrieverError("Nothing answers."));
  await until(() => box.items[0]?.detail === "Nothing answers.");
  assert.doesNotMatch(box.title, /result /);
  box.type("c");
  await until(() => asked.length === 3);
  asked[2].tell(answer([found()]));
  await until(() => /1 result /.test(box.title));
  box.type("");
  await until(() => box.items.length === 0);
  assert.doesNotMatch(box.title, /result /);
});

test("a preview that comes late is not shown over a later one, nor after Escape", async () => {
  const let_go: Record<string, () => void> = {};
  const text = (uri: { query: string }) => new Promise((resolve) => (let_go[uri.query] = () => resolve("def f(): ...")));
  host.vscode.workspace.registerTextDocumentContentProvider("touchstone", { provideTextDocumentContent: text } as never);
  host.edit("mine\n");
  quickPick.openQuickPick({
    quietMs: 0,
    ask: async () => answer(["A", "B"].map((functionId) => found({ functionId }))),
    show: async (one, options, signal) => places.show(await places.placeOf(one), options, signal),
  });
  const box = host.boxes.at(-1)!;
  const ids = () => host.opened.map((each) => each.uri.split("?")[1] ?? each.uri);
  box.type("x");
  await until(() => box.items.length === 2);
  box.goTo(0);
  await until(() => let_go.A);
  box.goTo(1);
  await until(() => let_go.B);
  let_go.B();
  await until(() => host.opened.length === 1);
  let_go.A();
  box.goTo(0);
  const again = let_go.A;
  await until(() => let_go.A !== again);
  assert.deepEqual(ids(), ["B"]);
  box.hide();
  let_go.A();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.deepEqual(ids(), ["B", "untitled:one"]);
});
