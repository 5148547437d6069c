'use strict';
// Functions that take their first argument apart: `f({ a, b })`. An author who was told of several arguments by name may
// mean all of them by that one object; one who was told of an object means that.

const sourceOf = Function.prototype.call.bind(Function.prototype.toString);
const { apply } = Reflect;
// What a function's text begins with, before the brace of a first parameter that it takes apart. Each may be missing
// but the parenthesis; blanks and comments may stand between any two.
const HEAD = [/async\b/y, /function\b/y, /\*/y, /#?[\p{ID_Continue}$\u200c\u200d]+|(['"])(?:\\.|(?!\1).)*\1|\[[^\]]*\]/uy];
const PATTERN = [/\(/y, /\{/y];
const GAP = /(?:\s|\/\*[^]*?\*\/|\/\/[^\n]*)*/y;
const COMMENT = /\/\*[^]*?\*\/|\/\/[^\n]*/y;
const KEY = /^(?:(['"`])(?<quoted>.*?)\1|(?<plain>[\p{ID_Continue}$\u200c\u200d]+))/u;
const READ = 2000;

/** The entries of a pattern whose opening brace stands before `from`: each with its text, and where it has a default. */
function entriesOf(source, from) {
  const entries = [];
  let depth = 0;
  let quote = '';
  let start = from;
  let hasDefault = false;
  for (let at = from; at < source.length; at++) {
    COMMENT.lastIndex = at;
    if (quote === '' && COMMENT.test(source)) {
      if (source.slice(start, at).trim() === '') start = COMMENT.lastIndex;
      at = COMMENT.lastIndex - 1;
      continue;
    }
    const sign = source[at];
    if (quote !== '') {
      if (sign === '\\') at++;
      else if (sign === quote) quote = '';
    } else if (sign === '"' || sign === "'" || sign === '`') {
      quote = sign;
    } else if (depth === 0 && (sign === ',' || sign === '}')) {
      entries.push({ text: source.slice(start, at).trim(), hasDefault });
      if (sign === '}') return entries;
      [start, hasDefault] = [at + 1, false];
    } else if ('([{'.includes(sign)) {
      depth++;
    } else if (')]}'.includes(sign)) {
      depth--;
    } else if (sign === '=' && depth === 0) {
      hasDefault = true;
    }
  }
  return [];
}

/** Where a text goes on behind a pattern that it has at a place, and behind the blanks and comments there; -1 without it. */
function behind(source, at, pattern) {
  pattern.lastIndex = at;
  if (!pattern.test(source)) return -1;
  GAP.lastIndex = pattern.lastIndex;
  GAP.test(source);
  return GAP.lastIndex;
}

/** Where the first parameter's pattern begins in a function's text, behind its brace; -1 where it is no pattern. */
function patternIn(source) {
  let at = 0;
  for (const part of HEAD) at = Math.max(at, behind(source, at, part));
  for (const part of PATTERN) if ((at = behind(source, at, part)) < 0) return -1;
  return at;
}

/** The names that a function takes out of its first argument; undefined where it does not take it apart. */
function namesTaken(target) {
  const source = sourceOf(target).slice(0, READ);
  const start = patternIn(source);
  if (start < 0) return undefined;
  return entriesOf(source, start).flatMap(({ text, hasDefault }) => {
    const found = KEY.exec(text)?.groups;
    return found === undefined ? [] : [{ name: found.quoted ?? found.plain, hasDefault }];
  });
}

function kindOf(value) {
  if (Array.isArray(value)) return 'an array';
  return value === null ? 'null' : `a ${typeof value}`;
}

/** Whether an object has a name of its own, or another value has it at all: an array its length, a text its characters. */
function holds(value, name) {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.hasOwn(value, name);
  return value !== null && value !== undefined && name in Object(value);
}

/** Whether a value that is no plain object has what is taken out of it, so that nothing would be undefined. */
function suffices(value, names) {
  const held = names.filter(({ name }) => holds(value, name));
  return names.every((one) => one.hasDefault || held.includes(one)) && (names.length === 0 || held.length > 0);
}

/**
 * Gives what calls a function with an array of arguments, and with the object of those that came by name. A method is
 * called on `self`.
 */
function caller(target, self) {
  const names = namesTaken(target);
  if (names === undefined) return (values) => apply(target, self, values);
  return (values, named) => {
    const [first] = values;
    if (named !== undefined && target.length <= 1) {
      const count = (value) => names.filter(({ name }) => holds(value, name)).length;
      if (count(first) <= count(named)) return apply(target, self, [named]);
    }
    if (first === undefined) return apply(target, self, values);
    if (first === null || ((typeof first !== 'object' || Array.isArray(first)) && !suffices(first, names))) {
      throw new TypeError(`the first parameter is taken apart as an object, but the first argument is ${kindOf(first)}: arguments come one by one`);
    }
    return apply(target, self, values);
  };
}

module.exports = { caller };
