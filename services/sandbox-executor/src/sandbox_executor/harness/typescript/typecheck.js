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
// "Cannot find namespace", "Cannot use namespace as a type", "Namespace has no exported member".
const NO_NAMESPACE = [2503, 2694, 2709];
const NO_MEMBER = 2694;

/** Whether a problem is only that we know no types of a Node module, whose names are all of type any. */
function isOfUntypedModule({ code, file, start, length }) {
  if (!NO_NAMESPACE.includes(code) || file === undefined) return false;
  const name = code === NO_MEMBER ? /([\w$]+)\s*\.\s*$/.exec(file.text.slice(0, start))?.[1] : file.text.slice(start, start + length);
  return file.statements.filter(ts.isImportDeclaration).some(({ importClause, moduleSpecifier }) => {
    const bindings = importClause?.namedBindings;
    const names = [importClause?.name, ...(bindings?.elements?.map((one) => one.name) ?? []), bindings?.name];
    if (!names.some((one) => one?.text === name)) return false;
    const [module] = program.getTypeChecker().getSymbolAtLocation(moduleSpecifier)?.declarations ?? [];
    return module !== undefined && ts.isModuleDeclaration(module) && module.body === undefined;
  });
}

const problems = ts.getPreEmitDiagnostics(program).filter((problem) => !isOfUntypedModule(problem));
if (problems.length > 0) {
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => path.dirname(source), getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnostics(problems.slice(0, 20), host));
  process.exitCode = 1;
}
