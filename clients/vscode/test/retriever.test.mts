import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import path from "node:path";
import { after, test } from "node:test";
import { retriever, server } from "./built.mts";

const token = readFileSync(server.tokenFile, "utf8").trim();
const authority = readFileSync(server.authority, "utf8");
// Against what hangs, not against what is slow.
const WAIT_S = 120;
const open: InstanceType<typeof retriever.Retriever>[] = [];
after(() => open.forEach((each) => each.close()));

function dial(more: object = {}) {
  open.push(new retriever.Retriever({ address: server.address, token, authority, ...more }));
  return open.at(-1)!;
}

async function words(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    assert.ok(error instanceof retriever.RetrieverError, String(error));
    return error.message;
  }
  return assert.fail("it was answered");
}

test("a question is answered over TLS, with the token, with everything about the place", async () => {
  const told = await dial().search({ query: "turn 10", limit: 2 }, WAIT_S);
  assert.deepEqual(told.results.map((each) => each.location?.qualname), ["f10", "f30"]);
  const [first] = told.results;
  assert.deepEqual([first.location?.path, first.location?.lineStart, first.location?.licence], ["pkg/core.py", 3, "MIT"]);
  assert.equal(first.code, "def f10(x):\n    return x");
  assert.equal(typeof told.indexed, "number");
  assert.equal(told.indexed, 4);
});

test("code and an indexed function are questions too", async () => {
  const dialled = dial();
  const like = await dialled.search({ likeFunctionId: "shapes-1.0:f10", limit: 1 }, WAIT_S);
  assert.deepEqual(like.results.map((each) => each.location?.qualname), ["f30"]);
  const code = await dialled.search({ query: "turn( 80 )", queryIsCode: true, limit: 1 }, WAIT_S);
  assert.deepEqual(code.results.map((each) => each.location?.qualname), ["f80"]);
});

test("a function is read by its id", async () => {
  const read = await dial().code("shapes-1.0:f30", WAIT_S);
  assert.deepEqual([read.functionId, read.code], ["shapes-1.0:f30", "def f30(x):\n    return x"]);
  assert.match(await words(dial().code("nobody", WAIT_S)), /nobody/);
});

test("what is wrong with the way there is told in words", async () => {
  assert.match(await words(dial({ token: "tst_wrong" }).search({ query: "x" }, WAIT_S)), /does not know you.*Set Token/);
  assert.match(await words(dial({ token: "" }).search({ query: "x" }, WAIT_S)), /does not know you/);
  assert.match(await words(dial({ authority: "" }).search({ query: "x" }, WAIT_S)), /127\.0\.0\.1:\d+ without TLS: .*touchstone\./);
  assert.match(await words(dial({ authority: "system" }).search({ query: "x" }, WAIT_S)), /No safe connection.*with TLS.*tlsAuthority/);
  const nobody = await new Promise<string>((resolve) => {
    const listening = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = listening.address() as net.AddressInfo;
      listening.close(() => resolve(`127.0.0.1:${port}`));
    });
  });
  assert.match(await words(dial({ address: nobody }).search({ query: "x" }, WAIT_S)), /Nothing answers at .*touchstone up/);
});

test("what cannot be asked is told in the server's words", async () => {
  assert.match(await words(dial().search({ query: "  " }, WAIT_S)), /query/);
  assert.match(await words(dial().search({ query: "x", limit: 1000 }, WAIT_S)), /1000 results/);
  assert.match(await words(dial().search({ query: "x" }, 0)), /took longer than 0 s/);
});

test("who does not wait any more gets nothing", async () => {
  const leaving = new AbortController();
  const asked = dial().search({ query: "turn 10" }, WAIT_S, leaving.signal);
  leaving.abort();
  await assert.rejects(asked, retriever.Abandoned);
  await assert.rejects(dial().search({ query: "turn 10" }, WAIT_S, leaving.signal), retriever.Abandoned);
});

test("an answer in pieces ends with what search gives", async () => {
  const steps: string[] = [];
  const question = { query: "turn 10", mode: "augmented", limit: 2 };
  const staying = new AbortController();
  const told = await dial().searchInPieces(question, WAIT_S, (piece) => steps.push(piece.step), staying.signal);
  const whole = await dial().search(question, WAIT_S);
  assert.deepEqual(steps, ["plain"]);
  assert.deepEqual({ ...told, elapsedS: 0 }, { ...whole, elapsedS: 0 });
  assert.match(await words(dial({ token: "" }).searchInPieces(question, WAIT_S, () => assert.fail(), staying.signal)), /does not know you/);
  assert.match(await words(dial().searchInPieces({ query: " " }, WAIT_S, () => assert.fail(), staying.signal)), /query/);
});

test("who calls off an answer in pieces gets no more of them", async () => {
  const leaving = new AbortController();
  const asked = dial().searchInPieces({ query: "turn 10", mode: "augmented" }, WAIT_S, () => leaving.abort(), leaving.signal);
  await assert.rejects(asked.then(() => Promise.reject(new retriever.Abandoned())), retriever.Abandoned);
  await assert.rejects(dial().searchInPieces({ query: "x" }, WAIT_S, () => assert.fail(), leaving.signal), retriever.Abandoned);
});

test("what a server says of others who are away is not taken for the way to the server", async () => {
  const load = createRequire(import.meta.url);
  const [grpc, loader] = [load("@grpc/grpc-js"), load("@grpc/proto-loader")];
  const includeDirs = [path.resolve("proto")];
  const described = grpc.loadPackageDefinition(loader.loadSync("touchstone/retriever/v1/retriever.proto", { includeDirs }));
  const [away, metadata] = [new grpc.Server(), new grpc.Metadata()];
  metadata.set("touchstone-answered", "1");
  let details = "";
  away.addService(described.touchstone.retriever.v1.RetrieverService.service, {
    search: (_call: object, answer: (fault: object) => void) => answer({ code: grpc.status.UNAVAILABLE, details, metadata }),
  });
  const port = await new Promise<number>((resolve) =>
    away.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (_error: unknown, bound: number) => resolve(bound)),
  );
  after(() => away.forceShutdown());
  for (details of [
    "the embedder: does not take the call: UNAVAILABLE: failed to connect to all addresses; last error: ECONNREFUSED",
    "the database: cannot be reached: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed",
    "cannot be reached: Name resolution failed for weaviate",
  ]) {
    const dialled = dial({ address: `127.0.0.1:${port}`, token: "", authority: "" });
    assert.equal(await words(dialled.search({ query: "x" }, WAIT_S)), details);
  }
});
