import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, test } from "node:test";
import { found, places, results } from "./built.mts";
import { host } from "./host.mts";

const CODE = found().code;
let folder: string;

beforeEach(() => {
  host.reset();
  folder = mkdtempSync(path.join(tmpdir(), "touchstone-"));
  host.folders = [path.join(folder, "empty"), folder];
});

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function opens(more: object = {}, place: object = {}) {
  const at = await places.placeOf(found(more, place));
  return [at.ours ? at.uri.fsPath : at.uri.scheme, at.line];
}

test("the file of the workspace opens at the line where the code stands now", async () => {
  const file = write("wordkit/text.py", `# one\n\n\n\n${CODE}\n`);
  assert.deepEqual(await opens(), [file, 4]);
  write("wordkit/text.py", `# one\r\n${CODE.replace("\n", "\r\n")}\r\n`);
  assert.deepEqual(await opens(), [file, 1]);
});

test("changed code is found by its first line, the one that is nearest", async () => {
  const file = write("wordkit/text.py", "def shorten(text):\n  pass\n\ndef shorten(text):\n    return 1\n\n\n\n\ndef shorten(text):\n");
  assert.deepEqual(await opens(), [file, 3]);
  assert.deepEqual(await opens({}, { lineStart: 9 }), [file, 9]);
});

test("a package's folder may lie below src, and an archive's path has one more in front", async () => {
  const file = write("src/wordkit/text.py", CODE);
  assert.deepEqual(await opens(), [file, 0]);
  assert.deepEqual(await opens({}, { path: "wordkit-1.2/wordkit/text.py" }), [file, 0]);
});

test("another file of the same name, and none, lead to the indexed version", async () => {
  assert.deepEqual(await opens(), ["touchstone", 0]);
  write("wordkit/text.py", "def other():\n    return 1\n");
  assert.deepEqual(await opens(), ["touchstone", 0]);
  assert.deepEqual(await opens({ code: "" }), ["touchstone", 0]);
});

test("no path leads out of a folder", async () => {
  write("secret.py", CODE);
  host.folders = [path.join(folder, "inner")];
  for (const hostile of ["../secret.py", "a/../../secret.py", "/../secret.py", "..\\secret.py", folder + "/secret.py", ""]) {
    assert.deepEqual(await opens({}, { path: hostile }), ["touchstone", 0], hostile);
    assert.doesNotMatch(places.indexedUri(found({}, { path: hostile })).path, /\.\./);
  }
});

test("an indexed version has an address that names it", () => {
  const uri = places.indexedUri(found({ functionId: "a b?c#d/é" }, { repository: "https://host.test/a.git" }));
  assert.equal(uri.path, "/https_host.test_a.git@1.2/wordkit/text.py");
  assert.equal(places.functionOf(host.vscode.Uri.parse(uri.toString())), "a b?c#d/é");
});

test("a tooltip shows foreign code as code", () => {
  const shown = results.tooltip(found({ code: "a\n````\n[x](command:evil)\n````\nb", summary: "[y](command:evil) <b>" }, { language: "x\n```" }));
  assert.ok(!shown.isTrusted && !shown.supportHtml);
  assert.ok(shown.value.endsWith("\n`````\na\n````\n[x](command:evil)\n````\nb\n`````\n"), shown.value);
  assert.match(shown.value, /^```text\nshorten\n.*\n\[y\]\(command:evil\) <b> · MIT · 0\.500\n```\n/);
});

test("results are told in one line each", () => {
  const other = found().location;
  assert.equal(results.title(found({ form: "class" })), "shorten (class)");
  assert.equal(
    results.where(found({ duplicates: [other, other], superseded: true })),
    "wordkit/text.py:3 · wordkit 1.2, and in 2 other places · replaced",
  );
  assert.equal(results.details(found({ score: 0 }, { licence: "" })), "Cut it. · licence unknown");
});
