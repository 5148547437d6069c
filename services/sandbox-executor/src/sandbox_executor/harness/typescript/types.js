'use strict';
// TypeScript lets a program name a type in `export { … }` and import one by its plain name; the compiler proper leaves
// such names out. Node takes types away without knowing what a name means, keeps these, and the engine then misses
// them. Here they get the word `type` that says what they are; lines stay where they are, and so does what the program
// only says in texts, templates and regular expressions: what is one of these, Node's own reader tells.

const { isBuiltin, stripTypeScriptTypes } = require('node:module');

const NAME = '[\\p{ID_Start}$_][\\p{ID_Continue}$\\u200c\\u200d]*';
const LIST = new RegExp(`\\b(import|export)(\\s*(?:${NAME}\\s*,\\s*)?\\{)([^}]*)(\\}(?:\\s*from\\s*(["'])([^"'\\n]*)\\5)?)`, 'gu');
const NAMES = /^[\p{ID_Continue}$\u200c\u200d\s,'"]*$/u;
const ENTRY = new RegExp(`(?<![\\p{ID_Continue}$])(type\\s+)?(${NAME})(?:(\\s+as\\s+)(${NAME}))?`, 'gu');
const DEFAULT = new RegExp(`^([ \\t]*)export\\s+default\\s+(${NAME})[ \\t]*(;|$)`, 'gmu');
const UNDEFINED = new RegExp(`^Export '(${NAME})' is not defined in module$`, 'u');
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const MOST = 100;
const PROBE = '__touchstone_type';
// No program has this outside of its texts, comments and regular expressions.
const NO_CODE = '@@';

const toJavaScript = (source) => stripTypeScriptTypes(source, { mode: 'transform' });

/** The program in JavaScript; undefined where it is none. */
function read(source) {
  try {
    return toJavaScript(source);
  } catch {
    return undefined;
  }
}

/** The source with other text at some places of it, which are given in order. */
function edited(source, edits) {
  let [text, done] = ['', 0];
  for (const { from, to, by } of edits) {
    text += source.slice(done, from) + by;
    done = to;
  }
  return text + source.slice(done);
}

/** Whether a text of types at a place is taken away with them, and so no part of a text or the like. */
function isCode(source, from, to, types) {
  const script = read(edited(source, [{ from, to, by: types }]));
  return script !== undefined && !script.includes(PROBE);
}

/** The lists of names that a program, or a script, imports or exports, as far as they name some. */
function listsOf(source, keyword) {
  const found = [];
  LIST.lastIndex = 0;
  for (let match; (match = LIST.exec(source)) !== null; LIST.lastIndex = match.index + 1) {
    const [whole, word, head, names, _tail, _quote, module] = match;
    if (word !== keyword || !NAMES.test(names.replace(COMMENT, ''))) continue;
    const from = match.index + word.length + head.length;
    const to = from + names.length;
    if (isCode(source, from, to, `type ${PROBE}`)) found.push({ start: match.index, end: match.index + whole.length, from, to, names, module });
  }
  return found;
}

function wordOf(name) {
  return new RegExp(`(?<![\\p{ID_Continue}$])${name.replaceAll('$', '\\$')}(?![\\p{ID_Continue}$])`, 'gu');
}

/** Whether a script has a name as a word of its own, other than in its texts and the like. */
function mentions(script, name) {
  const without = script.replace(wordOf(name), NO_CODE);
  return without !== script && read(without) === undefined;
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
  const edits = listsOf(source, keyword).map(({ from, to, names, module }) => {
    const by = names.replace(ENTRY, (entry, type, name, as, local) =>
      type === undefined && isType(name, local ?? name, module) ? `type ${name}${as ?? ''}${local ?? ''}` : entry,
    );
    return { from, to, by };
  });
  return edited(source, edits);
}

function without(script, lists) {
  return edited(script, lists.map(({ start, end }) => ({ from: start, to: end, by: '' })));
}

function withImportedTypes(source) {
  const script = toJavaScript(source);
  const inner = without(script, listsOf(script, 'import').filter(({ module }) => module !== undefined));
  const used = without(inner, listsOf(inner, 'export'));
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
  return source.replace(DEFAULT, (whole, space, name, end, at) => {
    const isType = new RegExp(`\\b(?:interface|type)\\s+${name.replaceAll('$', '\\$')}(?![\\p{ID_Continue}$])`, 'u').test(source);
    const to = at + whole.length;
    if (!isType || !isCode(source, at, to, `export type { ${PROBE} };`)) return whole;
    return mentions(toJavaScript(edited(source, [{ from: at, to, by: '' }])), name) ? whole : `${space}export type { ${name} as default }${end}`;
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
