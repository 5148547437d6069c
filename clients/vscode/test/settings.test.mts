import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, test } from "node:test";
import { settings } from "./built.mts";
import { host } from "./host.mts";

const folder = mkdtempSync(path.join(tmpdir(), "touchstone-"));
const platform = { services: { retriever: { grpc: "127.0.0.1:7999", http: "127.0.0.1:8999" } } };
let secret: string | undefined;

beforeEach(() => {
  host.reset();
  secret = undefined;
  writeFileSync(path.join(folder, "platform.json"), JSON.stringify(platform));
  writeFileSync(path.join(folder, "token"), "tst_platform\n");
  writeFileSync(path.join(folder, "other"), "tst_other");
  writeFileSync(path.join(folder, "ca.pem"), "PEM");
});

function resolved(more: Record<string, unknown> = {}) {
  host.settings = Object.fromEntries(Object.entries(more).map(([name, value]) => [`touchstone.${name}`, value]));
  return settings.endpoint(settings.settings(), async () => secret);
}

test("address and token come from the platform of this machine, from files, from the kept secret", async () => {
  assert.deepEqual(await resolved(), { address: "127.0.0.1:7103", token: "", authority: "" });
  const stateFolder = folder;
  assert.deepEqual(await resolved({ stateFolder }), { address: "127.0.0.1:7999", token: "tst_platform", authority: "" });
  const tokenFile = path.join(folder, "other");
  const address = "localhost:1";
  assert.deepEqual(await resolved({ stateFolder, tokenFile, address }), { address, token: "tst_other", authority: "" });
  secret = "tst_secret";
  assert.equal((await resolved({ stateFolder, tokenFile })).token, "tst_secret");
});

test("a token never leaves this machine unencrypted", async () => {
  secret = "tst_secret";
  for (const address of ["search.example:443", "10.0.0.1:7103", "127.0.0.1.example:7103", "localhost.example:1"]) {
    await assert.rejects(resolved({ address }), /unencrypted to .*tlsAuthority/);
  }
  for (const address of ["127.0.0.1:1", "localhost:1", "[::1]:1", "unix:/run/x"]) await resolved({ address });
  const tlsAuthority = path.join(folder, "ca.pem");
  assert.equal((await resolved({ address: "search.example:443", tlsAuthority })).authority, "PEM");
  assert.equal((await resolved({ address: "search.example:443", tlsAuthority: "system" })).authority, "system");
  secret = undefined;
  await resolved({ address: "search.example:443" });
});

test("a file that cannot be used is named with its setting", async () => {
  await assert.rejects(resolved({ tokenFile: "/nowhere/token" }), /\/nowhere\/token.*ENOENT.*touchstone\.tokenFile/);
  await assert.rejects(resolved({ tlsAuthority: "~/nowhere.pem" }), /nowhere\.pem.*touchstone\.tlsAuthority/);
  await assert.rejects(resolved({ stateFolder: "/nowhere" }), /touchstone\.stateFolder/);
  for (const text of ["{", "{}", '{"services": {"retriever": {"grpc": 7}}}']) {
    writeFileSync(path.join(folder, "platform.json"), text);
    await assert.rejects(resolved({ stateFolder: folder }), /names no retriever/);
  }
});

test("a token that is none is told, and not shown", async () => {
  const tokenFile = path.join(folder, "other");
  for (const text of ["tst_a\ntst_b", "tst_é", "\u0000", Buffer.from("tst_other", "utf16le")]) {
    writeFileSync(tokenFile, text);
    const words = await resolved({ tokenFile }).then(String, String);
    assert.match(words, /touchstone\.tokenFile/);
    assert.ok(!words.includes("tst_"));
  }
  writeFileSync(tokenFile, "\ufefftst_other\r\n");
  assert.equal((await resolved({ tokenFile })).token, "tst_other");
});

test("no workspace decides where a token goes", () => {
  const contributed = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")).contributes;
  const known = contributed.configuration.properties;
  for (const name of ["address", "stateFolder", "tokenFile", "tlsAuthority"]) assert.equal(known[`touchstone.${name}`].scope, "machine");
  host.settings = {};
  const read = settings.settings();
  assert.deepEqual(Object.keys(known).sort(), Object.keys(read).map((name) => `touchstone.${name}`).sort());
  for (const [name, value] of Object.entries(read)) assert.deepEqual(known[`touchstone.${name}`].default, value);
});
