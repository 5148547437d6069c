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

test("a file with unsaved changes opens at the line where the code stands in the editor", async () => {
  const file = write("wordkit/text.py", `${CODE}\n`);
  host.change(file, `# one\n\n${CODE}\n`);
  assert.deepEqual(await opens(), [file, 2]);
  host.unsaved = [];
  host.change(file, "# gone\n");
  assert.deepEqual(await opens(), ["touchstone", 0]);
});

test("changed code is found by its first line, the one that is nearest", async () => {
  const file = write("wordkit/text.py", "def shorten(text):\n  pass\n\ndef shorten(text):\n    return 1\n\n\n\n\ndef shorten(text):\n");
  assert.deepEqual(await opens(), [file, 3]);
  assert.deepEqual(await opens({}, { lineStart: 9 }), [file, 9]);
});

test("code that stands twice opens where it is due: in its own class, else at the nearest place", async () => {
  const method = "def close(self):\n    self.handle.close()";
  const inside = "    def close(self):\n        self.handle.close()\n";
  const file = write("wordkit/text.py", `class A:\n${inside}\n\nclass B:\n${inside}`);
  const of = (qualname: string, lineStart: number) => opens({ code: method }, { qualname, lineStart });
  assert.deepEqual(await of("B.close", 6), [file, 6]);
  assert.deepEqual(await of("A.close", 2), [file, 1]);
  // What was put above it has moved it nearer to the other one.
  assert.deepEqual(await of("A.close", 7), [file, 1]);
  write("wordkit/text.py", `${inside}\n\n\n${inside}`);
  assert.deepEqual(await of("close", 1), [file, 0]);
  assert.deepEqual(await of("close", 6), [file, 5]);
});

test("code is found by whole lines, never within others", async () => {
  const code = "def size(x):\n    return x.size";
  const at = { qualname: "size", lineStart: 4 };
  for (const other of ["async def size(x):\n    return x.size", "def size(x):\n    return x.size_hint", "def size(x):\n    return x.size + 1"]) {
    const file = write("wordkit/text.py", `${other}\n\n\n\n\n\n${code}  # now\n`);
    assert.deepEqual(await opens({ code }, at), [file, 7], other);
    write("wordkit/text.py", `${other}\n`);
    assert.equal((await opens({ code }, { ...at, repository: "elsewhere" }))[0], "touchstone", other);
  }
});

test("code of a class stands further in, and its long strings do not", async () => {
  const code = 'def help(self):\n    text = """\none\n  two\n"""\n\n    return text';
  const file = write("a.py", 'class A:\n    # new\n\n    def help(self):\n        text = """\none\n  two\n"""\n\n        return text\n');
  assert.deepEqual(await opens({ code }, { path: "a.py", qualname: "A.help" }), [file, 3]);
});

test("code of other languages may begin within a line", async () => {
  const code = "function shorten(text) {\n  return text;\n}";
  const file = write("text.js", `// one\nexport ${code}\nconst cut = wrap(${code});\n`);
  const place = { path: "text.js", language: "javascript" };
  assert.deepEqual(await opens({ code }, place), [file, 1]);
  assert.deepEqual(await opens({ code: "const size = (x) => x.size" }, place), ["touchstone", 0]);
});

test("changed code is found by the line that has its name, not by its decorators", async () => {
  const properties = ["width", "height", "depth"].map((name) => `    @property\n    def ${name}(self):\n        return 1\n`);
  const file = write("wordkit/text.py", `class A:\n\n\n\n\n${properties.join("\n")}`);
  const of = (name: string, code: string) => opens({ code }, { qualname: `A.${name}`, lineStart: 6 });
  assert.deepEqual(await of("height", "@property\ndef height(self):\n    return 2"), [file, 10]);
  assert.deepEqual(await of("depth", "@route(\n    'depth'\n)\nasync def depth(self):\n    return 2"), ["touchstone", 0]);
  assert.deepEqual(await of("area", "@property\ndef area(self):\n    return 2"), ["touchstone", 0]);
});

test("changed code is that of its own class where another one has the same name", async () => {
  const file = write("wordkit/text.py", "class A:\n    def cut(self):\n        return 1\n\nclass B:\n    if True:\n        def cut(self):\n            return 2\n");
  assert.deepEqual(await opens({ code: "def cut(self):\n    return 3" }, { qualname: "B.cut", lineStart: 2 }), [file, 6]);
});

test("a function of the same name in a file of another package is not the result", async () => {
  const mine = write("src/cli.py", "import sys\n\ndef main():\n    print('mine')\n");
  const code = "def main():\n    args = read()\n    run(args)\n    return 0";
  const place = { repository: "https://host.test/other.git", path: "other-2.0/cli.py", qualname: "main", lineStart: 90 };
  assert.deepEqual(await opens({ code }, place), ["touchstone", 0]);
  // Most of what it was is still there, or the package has the name of the workspace.
  write("src/cli.py", "def main():\n    args = read()\n    log(args)\n    run(args)\n    return 1\n");
  assert.deepEqual(await opens({ code }, place), [mine, 0]);
  folder = path.join(folder, "Other");
  const theirs = write("cli.py", "def main():\n    pass\n");
  host.folders = [folder];
  assert.deepEqual(await opens({ code }, place), [theirs, 0]);
});

test("a file that holds the whole code goes before one where it was changed", async () => {
  write("one/wordkit/text.py", "def shorten(text):\n    return 1\n");
  const file = write("two/src/wordkit/text.py", CODE);
  host.folders = ["one", "two"].map((name) => path.join(folder, name));
  assert.deepEqual(await opens(), [file, 0]);
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
  assert.match(results.where(found({ duplicates: [other], moreDuplicates: 29 })), /, and in at least 30 other places$/);
  assert.equal(results.details(found({ score: 0 }, { licence: "" })), "Cut it. · licence unknown");
});
