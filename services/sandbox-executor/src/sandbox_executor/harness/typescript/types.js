'use strict';
// TypeScript lets a program name a type in `export { … }` and import one by its plain name; the compiler proper leaves
// such names out. Node takes types away without knowing what a name means, keeps these, and the engine then misses
// them. Here they get the word `type` that says what they are; lines stay where they are.

const { isBuiltin, stripTypeScriptTypes } = require('node:module');

const NAME = '[\\p{ID_Start}$_][\\p{ID_Continue}$\\u200c\\u200d]*';
const LIST = new RegExp(`\\b(import|export)(\\s*(?:${NAME}\\s*,\\s*)?\\{)([^}]*)(\\}(?:\\s*from\\s*(["'])([^"'\\n]*)\\5)?)`, 'gu');
const ENTRY = new RegExp(`(?<![\\p{ID_Continue}$])(type\\s+)?(${NAME})(?:(\\s+as\\s+)(${NAME}))?`, 'gu');
const DEFAULT = new RegExp(`^([ \\t]*)export\\s+default\\s+(${NAME})[ \\t]*(;|$)`, 'mu');
const UNDEFINED = new RegExp(`^Export '(${NAME})' is not defined in module$`, 'u');
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const MOST = 100;

const toJavaScript = (source) => stripTypeScriptTypes(source, { mode: 'transform' });

/** Whether a text has a name as a word of its own. */
function mentions(text, name) {
  return new RegExp(`(?<![\\p{ID_Continue}$])${name.replaceAll('$', '\\$')}(?![\\p{ID_Continue}$])`, 'u').test(text);
}

/** Whether a program declares a name, or imports it, in whatever way. */
function declares(source, name) {
  const word = name.replaceAll('$', '\\$');
  const declared = new RegExp(`\\b(?:interface|type|namespace|module|class|enum|function|const|let|var)\\s+${word}(?![\\p{ID_Continue}$])`, 'u');
  const imported = new RegExp(`\\bimport\\b[^;"']*(?<![\\p{ID_Continue}$])${word}(?![\\p{ID_Continue}$])[^;"']*["']`, 'u');
  return declared.test(source) || imported.test(source);
}

/** Mark those names in lists of imports or exports that are types: `isType(name, local name, module or undefined)`. */
function withTypes(source, keyword, isType) {
  return source.replace(LIST, (whole, word, head, entries, tail, _quote, from) => {
    if (word !== keyword) return whole;
    const marked = entries.replace(ENTRY, (entry, type, name, as, local) =>
      type === undefined && isType(name, local ?? name, from) ? `type ${name}${as ?? ''}${local ?? ''}` : entry,
    );
    return word + head + marked + tail;
  });
}

function withImportedTypes(source) {
  const script = toJavaScript(source);
  const inner = script.replace(LIST, (whole, word, _head, _entries, _tail, _quote, from) => (word === 'import' && from !== undefined ? '' : whole));
  const used = inner.replace(LIST, '').replace(COMMENT, '');
  return withTypes(source, 'import', (name, local, from) => {
    // What Node's modules have is known; elsewhere only what nothing uses can be a type.
    if (from !== undefined && isBuiltin(from)) return !(name in process.getBuiltinModule(from)) && !mentions(used, local);
    return !mentions(inner, local);
  });
}

/** The name that a module exports and does not have; undefined where there is none. Runs nothing of it. */
async function undefinedExport(script) {
  try {
    // The engine reads a module before it looks for what that imports, which is never there.
    await import(`data:text/javascript,${encodeURIComponent(`${script}\nimport "none:";`)}`);
  } catch (error) {
    return error instanceof SyntaxError ? UNDEFINED.exec(error.message)?.[1] : undefined;
  }
  return undefined;
}

async function withExportedTypes(source) {
  let text = source;
  for (let round = 0; round < MOST; round++) {
    const missing = await undefinedExport(toJavaScript(text));
    if (missing === undefined || !declares(source, missing)) break;
    const marked = withTypes(text, 'export', (name, _local, from) => from === undefined && name === missing);
    if (marked === text) break;
    text = marked;
  }
  return text;
}

/** The same where the default is a type. */
function withDefaultType(source) {
  return source.replace(DEFAULT, (whole, space, name, end) => {
    const isType = new RegExp(`\\b(?:interface|type)\\s+${name.replaceAll('$', '\\$')}(?![\\p{ID_Continue}$])`, 'u').test(source);
    const script = isType ? toJavaScript(source).replace(DEFAULT, '') : '';
    return isType && !mentions(script, name) ? `${space}export type { ${name} as default }${end}` : whole;
  });
}

/** The program with `type` before what it names of types; as it is where Node cannot read it. */
async function markTypes(source) {
  if (!/\b(?:import|export)\b/.test(source)) return source;
  try {
    return await withExportedTypes(withDefaultType(withImportedTypes(source)));
  } catch {
    return source;
  }
}

module.exports = { markTypes };
