'use strict';
// Portable values (docs/values.md) in JavaScript.
//
// decode(text) gives the most natural JavaScript value; what JavaScript has no kind of its own for (a tuple,
// a frozen set, a record) is a plain array, Set or object whose kind is remembered beside it, so that it is
// written back as what it was.

const MAX_DEPTH = 200;
const MAX_NODES = 4000000;
const MAX_INT_DIGITS = 4300;
const MAX_PATH = 120;
const CONTROL = /[\x00-\x1f]/;
const INT_BOUND = 10n ** BigInt(MAX_INT_DIGITS);

const { parse, plainObject } = require('./parsing.js');

// Captured before a candidate can replace them: an accident there must not garble its own answers.
const quote = JSON.stringify;
const isArray = Array.isArray;
const isSafeInteger = Number.isSafeInteger;
const ownKeys = Object.keys;
const hasOwn = Object.hasOwn;
const prototypeOf = Object.getPrototypeOf;
const apply = Reflect.apply;
const wellFormed = String.prototype.isWellFormed;
const charCode = String.prototype.charCodeAt;
const cut = String.prototype.slice;
const mapEach = Map.prototype.forEach;
const setEach = Set.prototype.forEach;
const dateText = Date.prototype.toISOString;
const isView = ArrayBuffer.isView;
const BufferFrom = Buffer.from;
const bufferText = Buffer.prototype.toString;
const ObjectPrototype = Object.prototype;
// Without asking for any value: most of Node's own classes are loaded when they are asked for.
const globals = Object.getOwnPropertyDescriptors(globalThis);
const { isMap, isSet, isDate, isNumberObject, isStringObject, isBooleanObject, isBigIntObject, isGeneratorObject } = require('node:util').types;

const kinds = new WeakMap();
const remember = WeakMap.prototype.set.bind(kinds);
const recall = WeakMap.prototype.get.bind(kinds);

/** A path without its middle where it would push out of sight what stands behind it. */
function shortened(path) {
  return path.length > MAX_PATH ? `${apply(cut, path, [0, 60])}…${apply(cut, path, [-40])}` : path;
}

class UnportableError extends Error {
  constructor(path, what) {
    super(`${shortened(path)}: ${what} has no portable form`);
    this.name = 'UnportableError';
  }
}

/** Build the value that a text describes; a kind that JavaScript does not have is an UnportableError. */
function decode(text) {
  // Nothing is tagged in most texts, and looking at every value takes the engine's parser many times as long.
  return text.includes('"$"') || text.includes('\\u0024') ? parse(text, revive) : parse(text);
}

/** What stands for a value whose parts stand already. */
function revive(_, node) {
  if (node === null || typeof node !== 'object' || !hasOwn(node, '$')) return node;
  const { $: kind, v } = node;
  switch (kind) {
    case 'int':
      return BigInt(v);
    case 'float':
      return { nan: NaN, inf: Infinity, '-inf': -Infinity }[v];
    case 'str':
      return v.reduce((text, unit) => text + String.fromCharCode(unit), '');
    case 'tuple':
      return marked(v, { kind });
    case 'deque':
      return marked(v, { kind, maxlen: node.maxlen });
    case 'set':
      return new Set(v);
    case 'frozenset':
      return marked(new Set(v), { kind });
    case 'bytes':
      return new Uint8Array(BufferFrom(v, 'base64'));
    case 'bytearray':
      return marked(new Uint8Array(BufferFrom(v, 'base64')), { kind });
    case 'map':
      return new Map(v);
    case 'ordered_map':
    case 'counter':
      return marked(new Map(v), { kind });
    case 'default_map':
      return marked(new Map(v), { kind, factory: node.factory });
    case 'record':
      return marked(plainObject(node.fields), { kind, name: node.name });
    default:
      throw new UnportableError('argument', `a ${typeof kind === 'string' ? kind : 'tag that is no text'}`);
  }
}

function marked(value, mark) {
  remember(value, mark);
  return value;
}

/** Write a value as one JSON text in the portable form. */
function encode(value) {
  return new Writer().value(value, '$', 1);
}

class Writer {
  constructor() {
    this.nodes = 0;
  }

  value(value, path, depth) {
    switch (typeof value) {
      case 'string':
        return text(value);
      case 'number':
        return number(value);
      case 'boolean':
        return value ? 'true' : 'false';
      case 'undefined':
        return 'null';
      case 'bigint':
        return integer(value, path);
      case 'object':
        return value === null ? 'null' : this.object(value, path, depth);
      default:
        throw new UnportableError(path, `a ${typeof value}`);
    }
  }

  enter(children, path, depth) {
    if (depth > MAX_DEPTH) throw new UnportableError(path, `nesting deeper than ${MAX_DEPTH}`);
    this.nodes += children;
    if (this.nodes > MAX_NODES) throw new UnportableError(path, `a tree of more than ${MAX_NODES} values`);
  }

  object(value, path, depth) {
    const mark = recall(value);
    if (isArray(value)) {
      const items = this.items(value, path, depth);
      if (mark === undefined) return items;
      if (mark.kind === 'deque') return `{"$":"deque","maxlen":${quote(mark.maxlen)},"v":${items}}`;
      return `{"$":"${mark.kind}","v":${items}}`;
    }
    if (isMap(value)) return this.map(value, mark, path, depth);
    if (isSet(value)) {
      const items = [];
      apply(setEach, value, [(item) => { items[items.length] = item; }]);
      return `{"$":"${mark === undefined ? 'set' : mark.kind}","v":${this.items(items, path, depth)}}`;
    }
    if (isView(value)) return this.view(value, mark, path, depth);
    if (isDate(value)) return date(value, path);
    if (isNumberObject(value) || isStringObject(value) || isBooleanObject(value) || isBigIntObject(value)) {
      return this.value(value.valueOf(), path, depth);
    }
    return this.fields(value, mark, path, depth);
  }

  items(values, path, depth) {
    const size = values.length;
    this.enter(size, path, depth);
    let out = '[';
    for (let i = 0; i < size; i++) {
      if (i > 0) out += ',';
      const item = values[i];
      out += typeof item === 'number' ? number(item) : this.value(item, `${path}[${i}]`, depth + 1);
    }
    return out + ']';
  }

  map(value, mark, path, depth) {
    let plain = mark === undefined;
    const pairs = [];
    apply(mapEach, value, [(item, key) => {
      if (typeof key !== 'string' || key === '$' || !apply(wellFormed, key, [])) plain = false;
      pairs[pairs.length] = [key, item];
    }]);
    this.enter(pairs.length, path, depth);
    if (plain) return this.plain(pairs, path, depth);
    const kind = mark === undefined ? 'map' : mark.kind;
    const factory = kind === 'default_map' ? `"factory":${quote(mark.factory)},` : '';
    return `{"$":"${kind}",${factory}"v":${this.pairs(pairs, path, depth)}}`;
  }

  plain(pairs, path, depth) {
    let out = '{';
    for (let i = 0; i < pairs.length; i++) {
      const key = pairs[i][0];
      out += `${i > 0 ? ',' : ''}${quote(key)}:${this.value(pairs[i][1], `${path}.${key}`, depth + 1)}`;
    }
    return out + '}';
  }

  pairs(pairs, path, depth) {
    let out = '[';
    for (let i = 0; i < pairs.length; i++) {
      const key = this.value(pairs[i][0], `${path}.key`, depth + 1);
      out += `${i > 0 ? ',' : ''}[${key},${this.value(pairs[i][1], `${path}.value`, depth + 1)}]`;
    }
    return out + ']';
  }

  view(value, mark, path, depth) {
    if (value instanceof Uint8Array) {
      const bytes = BufferFrom(value.buffer, value.byteOffset, value.byteLength);
      const kind = mark === undefined ? 'bytes' : mark.kind;
      return `{"$":"${kind}","v":"${apply(bufferText, bytes, ['base64'])}"}`;
    }
    if (value instanceof DataView) throw new UnportableError(path, 'a DataView');
    return this.items(value, path, depth);
  }

  fields(value, mark, path, depth) {
    const prototype = prototypeOf(value);
    const keys = ownKeys(value);
    this.enter(keys.length, path, depth);
    const isPlain = prototype === null || prototype === ObjectPrototype || prototypeOf(prototype) === null;
    if (mark === undefined && isPlain) {
      let tagged = false;
      const pairs = keys.map((key) => {
        if (key === '$' || !apply(wellFormed, key, [])) tagged = true;
        return [key, value[key]];
      });
      return tagged ? `{"$":"map","v":${this.pairs(pairs, path, depth)}}` : this.plain(pairs, path, depth);
    }
    const name = mark === undefined ? className(value, prototype, path) : mark.name;
    if (!isName(name) || !keys.every(isName)) {
      // No record may have such names, but a map may have any keys.
      return `{"$":"map","v":${this.pairs(keys.map((key) => [key, value[key]]), path, depth)}}`;
    }
    const fields = keys.map((key) => `[${quote(key)},${this.value(value[key], `${path}.${key}`, depth + 1)}]`);
    return `{"$":"record","name":${quote(name)},"fields":[${fields.join(',')}]}`;
  }
}

/** Whether a record, or a field of one, may have this name. */
function isName(name) {
  return name !== '' && name.length <= 200 && !CONTROL.test(name) && apply(wellFormed, name, []);
}

/** The name of a class that the candidate wrote; what the engine made has no fields to show. */
function className(value, prototype, path) {
  if (isGeneratorObject(value)) throw new UnportableError(path, 'a generator');
  const maker = prototype.constructor;
  const name = typeof maker === 'function' ? maker.name : '';
  if (typeof name !== 'string' || name === '') throw new UnportableError(path, 'an object of no class');
  // A class of the candidate's own may have the name of one of the engine's.
  if (maker === globalOf(name)) throw new UnportableError(path, name);
  return name;
}

/** What the global object had by a name before the candidate was loaded. */
function globalOf(name) {
  const found = hasOwn(globals, name) ? globals[name] : undefined;
  return found?.get === undefined ? found?.value : apply(found.get, globalThis, []);
}

function number(value) {
  if (isSafeInteger(value)) return value === 0 && 1 / value < 0 ? '-0.0' : `${value}`;
  if (value !== value) return '{"$":"float","v":"nan"}';
  if (value === Infinity) return '{"$":"float","v":"inf"}';
  if (value === -Infinity) return '{"$":"float","v":"-inf"}';
  const digits = `${value}`;
  // Beyond 2^53 it was a floating-point number all along, and must be read back as one.
  return digits.includes('.') || digits.includes('e') ? digits : `${digits}.0`;
}

function integer(value, path) {
  if (value >= -9007199254740992n && value <= 9007199254740992n) return `${value}`;
  if (value >= INT_BOUND || value <= -INT_BOUND) throw new UnportableError(path, `an integer of more than ${MAX_INT_DIGITS} digits`);
  return `{"$":"int","v":"${value}"}`;
}

function text(value) {
  if (apply(wellFormed, value, [])) return quote(value);
  let units = '';
  for (let i = 0; i < value.length; i++) units += (i > 0 ? ',' : '') + apply(charCode, value, [i]);
  return `{"$":"str","v":[${units}]}`;
}

function date(value, path) {
  let moment;
  try {
    moment = apply(dateText, value, []);
  } catch {
    throw new UnportableError(path, 'an invalid Date');
  }
  // Years of other than four digits are written with a sign and more.
  if (moment.length !== 24) throw new UnportableError(path, 'a Date outside of the years 0 to 9999');
  return `{"$":"datetime","v":"${moment.replace('Z', '+00:00')}","zone":null,"fold":0}`;
}

module.exports = { decode, encode };
