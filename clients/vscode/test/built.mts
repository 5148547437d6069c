// The compiled extension, with its types.
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
export const extension: typeof import("../src/extension.ts") = require("../out/extension.js");
export const panel: typeof import("../src/panel.ts") = require("../out/panel.js");
export const places: typeof import("../src/places.ts") = require("../out/places.js");
export const quickPick: typeof import("../src/quickPick.ts") = require("../out/quickPick.js");
export const results: typeof import("../src/results.ts") = require("../out/results.js");
export const retriever: typeof import("../src/retriever.ts") = require("../out/retriever.js");
export const settings: typeof import("../src/settings.ts") = require("../out/settings.js");

/** The real server that pytest started beside these tests. */
export const server = {
  address: named("TOUCHSTONE_TEST_ADDRESS"),
  tokenFile: named("TOUCHSTONE_TEST_TOKEN_FILE"),
  authority: named("TOUCHSTONE_TEST_AUTHORITY"),
};

function named(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run these tests by pytest tests/contract/test_editor_clients.py`);
  return value;
}

/** A result as the server sends it. */
export function found(more: object = {}, place: object = {}): import("../src/retriever.ts").Found {
  const location = {
    repository: "wordkit", version: "1.2", path: "wordkit/text.py", lineStart: 3, lineEnd: 5, qualname: "shorten",
    language: "python", licence: "MIT", releasedAt: "", ...place,
  };
  return {
    location, score: 0.5, code: "def shorten(text):\n    return text[:9]", functionId: "wordkit-1.2:shorten", streams: [],
    summary: "Cut it.", form: "function", superseded: false, explanation: [], duplicates: [], moreDuplicates: 0, ...more,
  } as never;
}

export function answer(results: object[], more: object = {}): import("../src/retriever.ts").Answer {
  return {
    results, indexLag: 0, indexed: 9, elapsedS: 0, augmentedQuery: "", mode: "plain", note: "", nextCursor: "", parts: [], ...more,
  } as never;
}
