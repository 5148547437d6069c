'use strict';
// Checks the types of a program: typecheck.js TOOLCHAIN SOURCE. Exit code 1 with the compiler's words when they fail.

const path = require('node:path');
const [toolchain, source] = process.argv.slice(2);
const ts = require(path.join(toolchain, 'typescript'));

const options = {
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  allowImportingTsExtensions: true,
  lib: ['lib.es2023.d.ts'],
  types: [],
  skipLibCheck: true,
  strict: true,
  // A candidate need not annotate what the compiler can live without.
  noImplicitAny: false,
  useUnknownInCatchVariables: false,
};
const program = ts.createProgram([source, path.join(__dirname, 'ambient.d.ts')], options);
const problems = ts.getPreEmitDiagnostics(program);
if (problems.length > 0) {
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => path.dirname(source), getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnostics(problems.slice(0, 20), host));
  process.exitCode = 1;
}
