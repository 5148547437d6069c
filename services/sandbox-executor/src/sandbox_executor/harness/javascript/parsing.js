'use strict';
// JSON texts, read as the language says. V8 13 and 14 take a name that is written with an escape for one of an earlier
// object (nodejs/node issue 63785): a program would be given other names than were sent, and read others than are there.

const parseJson = JSON.parse;
const apply = Reflect.apply;
const ownKeys = Object.keys;
const defineProperty = Object.defineProperty;
const charCode = String.prototype.charCodeAt;
const indexOf = String.prototype.indexOf;
const cut = String.prototype.slice;

/** Reads a JSON text; the engine's parser sees one text, number or word of it at a time, and never a name. */
class Reader {
  constructor(text) {
    this.text = text;
    this.at = 0;
  }

  whole() {
    const value = this.value();
    if (this.next() !== '') throw new SyntaxError(`a value and more at ${this.at}`);
    return value;
  }

  /** The next character that is no space, which is not passed; empty at the end. */
  next() {
    for (; this.at < this.text.length; this.at++) {
      const code = apply(charCode, this.text, [this.at]);
      if (code !== 32 && code !== 9 && code !== 10 && code !== 13) return this.text[this.at];
    }
    return '';
  }

  pass(wanted) {
    if (this.next() !== wanted) throw new SyntaxError(`no ${wanted} at ${this.at}`);
    this.at++;
  }

  value() {
    switch (this.next()) {
      case '"':
        return this.string();
      case '[':
        return this.listed('[', ']', this.value);
      case '{':
        return plainObject(this.listed('{', '}', this.entry));
      default:
        return this.word();
    }
  }

  string() {
    const from = this.at;
    let end = from;
    let escaped;
    do {
      end = apply(indexOf, this.text, ['"', end + 1]);
      if (end < 0) throw new SyntaxError(`a text without an end at ${from}`);
      let before = end;
      while (apply(charCode, this.text, [before - 1]) === 92) before--;
      escaped = (end - before) % 2 === 1;
    } while (escaped);
    this.at = end + 1;
    return parseJson(apply(cut, this.text, [from, end + 1]));
  }

  word() {
    const from = this.at;
    while (this.at < this.text.length && apply(indexOf, ' \t\n\r,]}:', [this.text[this.at]]) < 0) this.at++;
    return parseJson(apply(cut, this.text, [from, this.at]));
  }

  /** What a method of this reader reads between two signs, as often as a comma comes behind it. */
  listed(open, close, read) {
    const found = [];
    this.pass(open);
    for (let more = this.next() !== close; more; ) {
      found[found.length] = apply(read, this, []);
      more = this.next() === ',';
      if (more) this.at++;
    }
    this.pass(close);
    return found;
  }

  entry() {
    if (this.next() !== '"') throw new SyntaxError(`no name at ${this.at}`);
    const name = this.string();
    this.pass(':');
    return [name, this.value()];
  }
}

function put(made, key, value) {
  defineProperty(made, key, { value, writable: true, enumerable: true, configurable: true });
}

function plainObject(entries) {
  const made = {};
  for (let at = 0; at < entries.length; at++) {
    const key = entries[at][0];
    const value = entries[at][1];
    // An assignment to what is inherited, such as __proto__, would change the object instead of its content.
    if (key in made) put(made, key, value);
    else made[key] = value;
  }
  return made;
}

/** What a program calls as JSON.parse. */
function parse(text, reviver) {
  const source = typeof text === 'string' ? text : `${text}`;
  const revives = typeof reviver === 'function';
  // Only the engine can show a reviver the text of a value.
  if (apply(indexOf, source, ['\\']) < 0 || (revives && reviver.length > 2)) return parseJson(source, reviver);
  let value;
  try {
    value = new Reader(source).whole();
  } catch {
    // No JSON text, which fails with the engine's own words, or one that is nested deeper than calls can be.
    return parseJson(source, reviver);
  }
  return revives ? revived({ '': value }, '', reviver) : value;
}

function revived(holder, key, reviver) {
  const value = holder[key];
  if (value !== null && typeof value === 'object') {
    const keys = ownKeys(value);
    for (let at = 0; at < keys.length; at++) {
      const made = revived(value, keys[at], reviver);
      if (made === undefined) delete value[keys[at]];
      else put(value, keys[at], made);
    }
  }
  return apply(reviver, holder, [key, value]);
}

defineProperty(JSON, 'parse', { value: parse, writable: true, enumerable: false, configurable: true });

module.exports = { parse, plainObject };
