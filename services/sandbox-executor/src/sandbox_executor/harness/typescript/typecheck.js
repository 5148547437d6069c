'use strict';
// Checks the types of a program: typecheck.js TOOLCHAIN SOURCE. Exit code 1 with the compiler's words when they fail.

const fs = require('node:fs');
const { builtinModules } = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const [toolchain, source] = process.argv.slice(2);
const ts = require(path.join(toolchain, 'typescript'));

const options = {
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  moduleDetection: ts.ModuleDetectionKind.Force,
  allowImportingTsExtensions: true,
  // What runs the program has all of it.
  lib: ['lib.esnext.d.ts'],
  types: [],
  skipLibCheck: true,
  strict: true,
  // A candidate need not annotate what the compiler can live without.
  noImplicitAny: false,
  useUnknownInCatchVariables: false,
};
const AMBIENT = path.join(__dirname, 'ambient.d.ts');
const OTHERS = path.join(__dirname, 'others.d.ts');

/** Declarations of what this Node has beside the language and beside what ambient.d.ts says more of. */
function others() {
  const known = new Set(vm.runInNewContext('Object.getOwnPropertyNames(globalThis)'));
  for (const [, name] of fs.readFileSync(AMBIENT, 'utf8').matchAll(/^declare (?:var|function|class|namespace|module) '?([\w/:]+)/gm)) known.add(name);
  const names = Object.getOwnPropertyNames(globalThis).filter((name) => !known.has(name) && /^[A-Za-z]\w*$/.test(name));
  const declared = names.map((name) =>
    /^[A-Z]/.test(name)
      ? `declare class ${name}<A = any, B = any, C = any> { constructor(...values: any[]); static [name: string]: any; [name: string]: any }`
      : `declare var ${name}: any;`,
  );
  return [...declared, ...builtinModules.filter((name) => !known.has(name)).map((name) => `declare module '${name}';`)].join('\n');
}

const host = ts.createCompilerHost(options);
const { getSourceFile } = host;
host.getSourceFile = (name, language, ...rest) =>
  name === OTHERS ? ts.createSourceFile(name, others(), language) : getSourceFile(name, language, ...rest);
const program = ts.createProgram([source, AMBIENT, OTHERS], options, host);
// "Cannot find namespace", "Cannot use namespace as a type", "Namespace has no exported member".
const NO_NAMESPACE = [2503, 2694, 2709];
const NO_MEMBER = 2694;
// "Import/Export assignment cannot be used when targeting ECMAScript modules": what runs the program takes them.
const ASSIGNMENTS = [1202, 1203];

/** Whether a problem is only that we know no types of a Node module, whose names are all of type any. */
function isOfUntypedModule({ code, file, start, length }) {
  if (!NO_NAMESPACE.includes(code) || file === undefined) return false;
  const name = code === NO_MEMBER ? /([\w$]+)\s*\.\s*$/.exec(file.text.slice(0, start))?.[1] : file.text.slice(start, start + length);
  if (code === NO_MEMBER && name === 'NodeJS') return true;
  return file.statements.filter(ts.isImportDeclaration).some(({ importClause, moduleSpecifier }) => {
    const bindings = importClause?.namedBindings;
    const names = [importClause?.name, ...(bindings?.elements?.map((one) => one.name) ?? []), bindings?.name];
    if (!names.some((one) => one?.text === name)) return false;
    const [module] = program.getTypeChecker().getSymbolAtLocation(moduleSpecifier)?.declarations ?? [];
    return module !== undefined && ts.isModuleDeclaration(module) && module.body === undefined;
  });
}

const problems = ts.getPreEmitDiagnostics(program).filter((problem) => !ASSIGNMENTS.includes(problem.code) && !isOfUntypedModule(problem));
if (problems.length > 0) {
  const words = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => path.dirname(source), getNewLine: () => '\n' };
  process.stderr.write(ts.formatDiagnostics(problems.slice(0, 20), words));
  process.exitCode = 1;
}
