// Loaded before the tests: the types and documents of VS Code come from jest-mock-vscode, a package made for tests of
// extensions; the window, whose parts are empty there, from host.mts.
import { registerHooks } from "node:module";
import { host } from "./host.mts";

(globalThis as { touchstoneHost?: unknown }).touchstoneHost = host.vscode;
registerHooks({
  resolve: (name, context, next) =>
    name === "vscode"
      ? { url: new URL("vscode.cjs", import.meta.url).href, format: "commonjs", shortCircuit: true }
      : next(name, context),
});
