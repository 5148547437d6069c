// The whole extension as the editor starts it, against the real server.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type * as vscode from "vscode";
import { extension, panel } from "./built.mts";
import { server } from "./built.mts";
import { host, until } from "./host.mts";

let context: vscode.ExtensionContext;

beforeEach(() => {
  host.reset();
  host.settings = {
    "touchstone.address": server.address,
    "touchstone.tokenFile": server.tokenFile,
    "touchstone.tlsAuthority": server.authority,
    "touchstone.timeoutSeconds": 120,
    "touchstone.limit": 2,
  };
  context = host.context();
  extension.activate(context);
});

afterEach(() => context.subscriptions.forEach((each) => void each.dispose()));

const names = () => host.items().map((item) => (item === panel.FURTHER ? "…" : (item as { location: { qualname: string } }).location.qualname));

test("every command that is offered is there, and none else", () => {
  const offered = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).contributes.commands;
  assert.deepEqual(offered.map((each: { command: string }) => each.command).sort(), [...host.commands.keys()].sort());
});

test("by the quick pick to a file of the workspace", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "touchstone-"));
  mkdirSync(path.join(folder, "pkg"));
  writeFileSync(path.join(folder, "pkg", "core.py"), "# new\n\ndef f10(x):\n    return x\n");
  host.folders = [folder];
  host.run("touchstone.search");
  const [box] = host.boxes;
  box.type("turn 10");
  await until(() => box.items.length === 2);
  box.goTo(0);
  await until(() => host.opened.length === 1);
  box.accept();
  await until(() => host.opened.length === 2);
  const uri = `file://${folder}/pkg/core.py`;
  assert.deepEqual(host.opened, [
    { uri, line: 2, preview: true, preserveFocus: true },
    { uri, line: 2, preview: false, preserveFocus: false },
  ]);
});

test("by the panel to the indexed version, which is read-only", async () => {
  host.answer = " turn 80 ";
  await host.run("touchstone.searchInPanel");
  assert.deepEqual(names().slice(0, 1), ["f80"]);
  assert.match(host.tree?.message ?? "", /^turn 80: 2 results of 4 indexed/);
  const [first] = host.items();
  assert.deepEqual(host.tree?.revealed, [first]);
  const shown = (await host.tree?.provider.getTreeItem(first)) as vscode.TreeItem;
  assert.deepEqual([shown.label, shown.contextValue, shown.command?.command], ["f80", "result", "touchstone.openResult"]);
  await host.run("touchstone.openResult", first);
  assert.deepEqual(host.opened.map((each) => each.uri.split("?")[0]), ["touchstone:/shapes@1.0/pkg/core.py"]);
  const document = await host.document(host.vscode.Uri.parse(host.opened[0].uri));
  assert.equal(document.getText(), "def f80(x):\n    return x");
});

test("with a model the plain results are there first, and the reason where none answers", async () => {
  host.answer = "turn 80";
  await host.run("touchstone.searchWithModel");
  assert.deepEqual(host.progress, ["A model reads the question"]);
  assert.equal(names()[0], "f80");
  assert.match(host.tree?.message ?? "", /^turn 80: 2 results of 4 indexed.*augmented search is not available/);
  assert.equal(host.tree?.revealed.length, 1);
  await host.run("touchstone.further");
  assert.equal(names().length, 4);
});

test("further results stand below the first ones, each once", async () => {
  host.answer = "turn 0";
  await host.run("touchstone.searchInPanel");
  const before = names();
  assert.equal(before.at(-1), "…");
  await host.run("touchstone.further");
  assert.deepEqual([...names()].sort(), ["f10", "f30", "f50", "f80"]);
  assert.deepEqual(names().slice(0, 2), before.slice(0, 2));
  await host.run("touchstone.clear");
  assert.deepEqual([names(), host.tree?.message], [[], undefined]);
});

test("code like the selection, and like a result", async () => {
  host.edit("turn( 50 )\nturn( 10 )\n", 0, 1);
  await host.run("touchstone.findLikeSelection");
  assert.equal(names()[0], "f50");
  await host.run("touchstone.findLikeResult", host.items()[0]);
  assert.ok(!names().includes("f50"));
  host.edit("turn( 50 )", 0, 0);
  await host.run("touchstone.findLikeSelection");
  assert.match(host.notes[0], /Select the code first/);
});

test("what goes wrong is told, and what stood there stays", async () => {
  host.answer = "turn 10";
  await host.run("touchstone.searchInPanel");
  const before = names();
  host.settings["touchstone.tokenFile"] = "/nowhere";
  await host.run("touchstone.searchInPanel");
  assert.match(host.errors[0], /^Touchstone: \/nowhere cannot be read/);
  assert.deepEqual(names(), before);
  // The kept token goes before the file; a wrong one is refused by the server.
  host.answer = "tst_wrong";
  await host.run("touchstone.setToken");
  await host.run("touchstone.searchInPanel");
  assert.match(host.errors[1], /does not know you/);
  host.answer = readFileSync(server.tokenFile, "utf8");
  await host.run("touchstone.setToken");
  await host.run("touchstone.clear");
  host.answer = "turn 10";
  await host.run("touchstone.searchInPanel");
  assert.deepEqual(names(), before);
  host.answer = "";
  await host.run("touchstone.setToken");
  assert.equal(host.secrets.size, 0);
});

test("filters of the settings hold for every question", async () => {
  host.settings["touchstone.repositories"] = ["elsewhere"];
  host.answer = "turn 10";
  await host.run("touchstone.searchInPanel");
  assert.deepEqual(names(), []);
});
