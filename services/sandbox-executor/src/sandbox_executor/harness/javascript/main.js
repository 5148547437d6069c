'use strict';
// The harness for JavaScript and TypeScript: loads the candidate, answers one frame per case
// (docs/harness-protocol.md). Everything of the engine that it needs later is captured before the candidate loads.

require('./blocking.js');

const fs = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');
const { createRequire, SourceMap, stripTypeScriptTypes } = require('node:module');
const { execFileSync } = require('node:child_process');
const { pathToFileURL } = require('node:url');
const { isPromise } = require('node:util').types;
const { caller } = require('./apart.js');
const { decode, encode } = require('./codec.js');

const REQUESTS = 3;
const RESPONSES = 4;
const HEADER = 4;
const TYPE_LIMIT = 200;
const MESSAGE_LIMIT = 2000;

const { readSync, writeSync } = fs;
const quote = JSON.stringify;
const allocate = Buffer.allocUnsafe;
const fromText = Buffer.from;
const concat = Buffer.concat;
const reallyExit = process.reallyExit.bind(process);
const listeners = process.listenerCount.bind(process);
const NewPromise = Promise;
const NewMap = Map;
const { fromEntries, getOwnPropertyNames, getPrototypeOf } = Object;
const asText = String;
const isArray = Array.isArray;
const parseJson = JSON.parse;
const valuesOf = Object.values;
const wellFormed = Function.prototype.call.bind(String.prototype.toWellFormed);
const cut = Function.prototype.call.bind(String.prototype.slice);
// What a module has and a script has not, as the engine names it.
const MODULES = /\b(?:import|export|await)\b/;
const PLACE = /\/candidate\.m?js(?:\?\d+)?:(\d+):(\d+)/;
const HEADLINE = /^\S*\/candidate\.m?js(?:\?\d+)?:(\d+)\n/;
const MAP = /\/\/# sourceMappingURL=[^,]*,(\S+)\s*$/;
const CHECK_MS = 20000;
const PROTOTYPES = [Object.prototype, Function.prototype];
const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u;

class LoadError extends Error {
  constructor(type, message) {
    super(message);
    this.type = type;
  }
}

// Frames

let pending = allocate(0);
// The text of which types were taken away, and lines with them; empty where none were.
let typed = '';

/** Read one frame; null when the pipe has ended. */
function readFrame() {
  while (pending.length < HEADER || pending.length < HEADER + pending.readUInt32BE(0)) {
    const wanted = pending.length < HEADER ? 65536 : Math.max(65536, HEADER + pending.readUInt32BE(0) - pending.length);
    const chunk = allocate(wanted);
    const count = readSync(REQUESTS, chunk, 0, wanted, null);
    if (count === 0) return null;
    pending = concat([pending, chunk.subarray(0, count)]);
  }
  const end = HEADER + pending.readUInt32BE(0);
  const text = pending.toString('utf8', HEADER, end);
  pending = pending.subarray(end);
  return text;
}

function writeFrame(text) {
  const body = fromText(text, 'utf8');
  const frame = allocate(HEADER + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, HEADER);
  for (let at = 0; at < frame.length; ) at += writeSync(RESPONSES, frame, at, frame.length - at);
}

function words(value, limit) {
  return quote(wellFormed(cut(value, 0, limit)));
}

/** The line of the author's text that stands at a place of what runs. */
function lineOf(line, column) {
  if (typed === '') return line;
  const [, encoded] = MAP.exec(stripTypeScriptTypes(typed, { mode: 'transform', sourceMap: true }));
  return new SourceMap(parseJson(asText(fromText(encoded, 'base64')))).findEntry(line - 1, column - 1).originalLine + 1;
}

/** Where in the candidate's text an error arose, in words; empty where the stack does not say. */
function placeOf(thrown) {
  try {
    const found = PLACE.exec(asText(thrown.stack));
    return found === null ? '' : ` (line ${lineOf(Number(found[1]), Number(found[2]))})`;
  } catch {
    return '';
  }
}

/** Type and message of whatever was thrown; asking it may itself throw. */
function describe(thrown) {
  try {
    if (thrown instanceof Error) {
      const named = typeof thrown.constructor === 'function' ? thrown.constructor.name : '';
      const place = placeOf(thrown);
      return [asText(named || thrown.name || 'Error'), cut(asText(thrown.message), 0, MESSAGE_LIMIT - place.length) + place];
    }
    return [typeof thrown, asText(thrown)];
  } catch {
    return ['Error', 'an error that cannot be shown'];
  }
}

// Waiting

// Ends the wait for a promise with an error that the promise itself never tells.
let fail = () => {};
// The engine has nothing left to do that could settle it: without this the process would end in silence.
process.on('beforeExit', () => fail(new UnsettledPromise('it waits for what never comes: nothing is left to run')));
process.on('uncaughtException', (error) => {
  // A candidate that listens itself has dealt with it.
  if (listeners('uncaughtException') === 1) fail(error);
});

class UnsettledPromise extends Error {}

/** What a promise gives; raises also what is thrown meanwhile where nobody catches it. */
function awaited(promise) {
  return new NewPromise((resolve, reject) => {
    fail = reject;
    (async () => resolve(await promise))().catch(reject);
  });
}

// Loading

/** The compiler's words: line, the line's text and the marker below it, then the message. */
function syntaxWords(error) {
  const stack = asText(error.stack || error.message);
  const end = stack.indexOf('\n    at ');
  return authored(end < 0 ? stack : cut(stack, 0, end));
}

/** The engine's words with the line of the author's text, where they begin with one of what runs. */
function authored(text) {
  if (typed === '') return text;
  return text.replace(HEADLINE, (_, line) => {
    // Where the marker stands says which of several lines became this one.
    const marker = /^( *)\^/m.exec(text);
    return `candidate.ts:${lineOf(Number(line), marker === null ? 1 : marker[1].length + 1)}\n`;
  });
}

async function toJavaScript(source, file) {
  if (!file.endsWith('.ts')) return source;
  const { markTypes } = require('../typescript/types.js');
  try {
    const marked = await markTypes(source);
    const script = stripTypeScriptTypes(marked, { mode: 'transform' });
    typed = marked;
    return script;
  } catch (error) {
    throw new LoadError('CompileError', syntaxWords(error));
  }
}

/** The same for a module, of which the engine says neither line nor text, unless that is all that it is asked for. */
function moduleWords(file, error) {
  try {
    execFileSync(process.execPath, ['--check', file], { stdio: ['ignore', 'ignore', 'pipe'], timeout: CHECK_MS });
  } catch (problem) {
    const words = asText(problem.stderr ?? '').trimStart();
    if (HEADLINE.test(words)) return authored(cut(words, 0, words.indexOf('\n    at ')));
  }
  return syntaxWords(error);
}

/** Whether something can be declared by this name; a reserved word can only be exported. */
function isBindable(name) {
  try {
    void new vm.Script(`let ${name};`);
    return true;
  } catch {
    return false;
  }
}

/** What an object has by a name; undefined where asking is an error, as for the caller of a function. */
function ask(object, name) {
  try {
    return object[name];
  } catch {
    return undefined;
  }
}

/** Whether a value can be called, or can hold what is called. */
function isThing(value) {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}

/** Run the source as a CommonJS module; give what it calls `first` in its scope, and what it exports. */
function loadScript(source, file, first) {
  const module = { exports: {} };
  const parameters = ['exports', 'require', 'module', '__filename', '__dirname'];
  const values = [module.exports, createRequire(file), module, file, path.dirname(file)];
  // What every script sees by this name is not the candidate's: it may mean another one, which it exports.
  const given = [ask(globalThis, first), ...values];
  // The name is read inside the module's own scope, where functions that it does not export are seen too.
  const body = isBindable(first) ? `${source}\n;return typeof ${first} === 'undefined' ? undefined : ${first};` : source;
  const run = vm.compileFunction(body, parameters, { filename: file, importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER });
  const found = run.call(module.exports, ...values);
  return [given.includes(found) ? undefined : found, module.exports];
}

function moduleFile(file) {
  return path.join(path.dirname(file), 'candidate.mjs');
}

/** The same of a module; a SyntaxError where it is none. */
async function loadModule(source, file, first) {
  const copy = moduleFile(file);
  // What TypeScript's compiler makes of a module may ask for others both ways.
  Object.defineProperty(globalThis, 'require', { value: createRequire(file), writable: true, configurable: true });
  const named = `${source}\nexport { ${first} as __touchstone_entry_point };\n`;
  const attempts = isBindable(first) ? [named, source] : [source];
  for (const [index, text] of attempts.entries()) {
    fs.writeFileSync(copy, text);
    try {
      const space = await awaited(import(`${pathToFileURL(copy)}?${index}`));
      return [space.__touchstone_entry_point, space];
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      // The first attempt also fails where the name is exported but not declared.
      if (index + 1 === attempts.length) {
        fs.writeFileSync(copy, source);
        throw error;
      }
    }
  }
  return [undefined, {}];
}

async function loadSource(source, file, first) {
  try {
    vm.compileFunction(source, ['exports', 'require', 'module', '__filename', '__dirname'], { filename: file });
  } catch (problem) {
    // What is no script may be a module, however it is written; the engine's words are those of what it was meant to be.
    try {
      return await loadModule(source, file, first);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new LoadError('CompileError', MODULES.test(problem.message) ? moduleWords(moduleFile(file), error) : syntaxWords(problem));
    }
  }
  return loadScript(source, file, first);
}

/** Gives what an object, or its class, has by a name, and not what the engine gives all objects or functions by it. */
function heldBy(name) {
  const given = PROTOTYPES.map((prototype) => ask(prototype, name));
  return (object) => {
    const value = isThing(object) ? ask(object, name) : undefined;
    return isThing(value) && !given.includes(value) ? value : undefined;
  };
}

function pick(found, exported, held) {
  if (isThing(found)) return found;
  if (!isThing(exported)) return undefined;
  const named = held(exported) ?? held(exported.default);
  if (named !== undefined) return named;
  return [exported.default, exported].find((one) => typeof one === 'function');
}

/** Give a function that calls the entry point with an array of arguments. */
async function load(order) {
  const steps = order.entry.split('.');
  if (!steps.every((step) => IDENTIFIER.test(step))) throw new LoadError('EntryPointError', `${order.entry} is not a name`);
  const [first, last] = [heldBy(steps[0]), heldBy(steps[steps.length - 1])];
  const source = await toJavaScript(fs.readFileSync(order.source, 'utf8'), order.source);
  const [found, exported] = await loadSource(source, order.source.replace(/\.ts$/, '.js'), steps[0]);
  const target = pick(found, exported, first);
  if (steps.length === 1) {
    if (typeof target !== 'function') {
      throw new LoadError('EntryPointError', `${order.entry} is not a function of the candidate; it has ${namesOf(source, exported)}`);
    }
    return caller(target);
  }
  return member(order.entry, target, steps.slice(1), last, namesOf(source, exported));
}

/** What a candidate has, in words. */
function namesOf(source, exported) {
  const found = new Set(exported !== null && typeof exported === 'object' ? Object.keys(exported) : []);
  for (const [, name] of source.matchAll(/^(?:export )?(?:default )?(?:async )?(?:function\*?|class|const|let|var) ([\w$]+)/gm)) found.add(name);
  found.delete('__touchstone_entry_point');
  return [...found].slice(0, 20).join(', ') || 'no functions';
}

/** The functions that an object has, by itself or from its parents, in words: each behind `name`. */
function methodsOf(object, name) {
  const found = new Set();
  for (let at = object; isThing(at) && !PROTOTYPES.includes(at); at = getPrototypeOf(at)) {
    for (const key of getOwnPropertyNames(at)) if (key !== 'constructor' && typeof ask(at, key) === 'function') found.add(`${name}.${key}`);
  }
  return [...found];
}

function member(entry, owner, steps, held, others) {
  const holder = steps.slice(0, -1).reduce((object, step) => object?.[step], owner);
  const last = steps[steps.length - 1];
  const isMade = typeof holder === 'function' && isThing(holder.prototype);
  if (typeof held(holder) === 'function') return calling(() => holder, last);
  let unmade = '';
  if (isMade) {
    try {
      // What only an instance has, as a field that holds a function, only an instance tells.
      if (typeof held(holder.prototype) === 'function' || typeof held(new holder()) === 'function') return calling(() => new holder(), last);
    } catch (error) {
      unmade = `, and no instance is made without arguments: ${describe(error).join(': ')}`;
    }
  }
  const name = entry.slice(0, entry.lastIndexOf('.'));
  const found = [...methodsOf(holder, name), ...(isMade ? methodsOf(holder.prototype, name) : [])];
  const words = found.slice(0, 20).join(', ') || others;
  throw new LoadError('EntryPointError', `${entry} is not a function of the candidate; it has ${words}${unmade}`);
}

/** Gives what calls the method of an object, which is asked for anew for each case. */
function calling(object, name) {
  return (values, named) => {
    const self = object();
    const method = self[name];
    if (typeof method !== 'function') throw new TypeError(`${name} is no longer a function`);
    return caller(method, self)(values, named);
  };
}

// Cases

function callNamed(call, args) {
  // A map is no plain object where one of its names would be taken for a sign of the codec's.
  const named = args instanceof NewMap ? fromEntries(args) : args;
  return call(valuesOf(named), named);
}

async function answer(call, request) {
  let index = -1;
  try {
    // The index stands before the arguments, so that an undecodable case still has its number.
    index = Number(/^\{"i":([0-9]+)/.exec(request)[1]);
    const { args } = decode(request);
    let value = isArray(args) ? call(args) : callNamed(call, args);
    if (isPromise(value)) value = await awaited(value);
    return `{"i":${index},"o":"returned","v":${encode(value)}}`;
  } catch (error) {
    const [type, message] = describe(error);
    return `{"i":${index},"o":"raised","t":${words(type, TYPE_LIMIT)},"m":${words(message, MESSAGE_LIMIT)}}`;
  }
}

async function serve() {
  const order = readFrame();
  if (order === null) return;
  let call;
  try {
    call = await load(JSON.parse(order));
  } catch (error) {
    const [type, message] = error instanceof LoadError ? [error.type, error.message] : describe(error);
    writeFrame(`{"o":"load_error","t":${words(type, TYPE_LIMIT)},"m":${words(message, MESSAGE_LIMIT)}}`);
    return;
  }
  writeFrame('{"o":"ready"}');
  for (let request = readFrame(); request !== null; request = readFrame()) writeFrame(await answer(call, request));
}

serve().then(
  () => reallyExit(0),
  (error) => {
    fs.writeSync(2, `${error && error.stack}\n`);
    reallyExit(70);
  },
);
