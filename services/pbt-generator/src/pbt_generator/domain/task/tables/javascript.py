"""The table program in JavaScript."""

from __future__ import annotations

from collections.abc import Sequence

from pbt_generator.domain.task.tables.notation import CaseText, rows

_PROGRAM = """\
const TABLE_ROWS = [
{rows}
];

function tableBits(number) {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number === number ? number : NaN);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}

function tableText(value) {
  const escape = (unit) => '%' + unit.charCodeAt(0).toString(16).padStart(4, '0');
  return value.replace(/[^a-zA-Z0-9 _\\-+*\\/=.,:!?()[\\]{}<>@#&|^~]/g, escape);
}

function tableKey(value) {
  if (value === null || value === undefined) return 'n';
  if (value === true) return 't';
  if (value === false) return 'f';
  if (typeof value === 'bigint') return `i${value};`;
  if (typeof value === 'number') {
    const whole = Number.isInteger(value) && Math.abs(value) <= 2 ** 53;
    return whole ? `i${value === 0 ? 0 : value};` : `d${tableBits(value)}`;
  }
  if (typeof value === 'string') return `s${tableText(value)};`;
  if (Array.isArray(value)) return `[${value.map(tableKey).join('')}]`;
  const hex = (byte) => byte.toString(16).padStart(2, '0');
  if (value instanceof Uint8Array) return `b${Array.from(value, hex).join('')};`;
  if (value instanceof Set) return `{${Array.from(value, tableKey).sort().join('')}}`;
  const entries = value instanceof Map ? Array.from(value) : Object.entries(value);
  return `<${entries.map(([name, item]) => tableKey(name) + tableKey(item)).sort().join('')}>`;
}

function tableRead(source) {
  let at = 0;
  const until = (end) => {
    const from = at;
    at = source.indexOf(end, from) + 1;
    return source.slice(from, at - 1);
  };
  const items = (end) => {
    const found = [];
    while (source[at] !== end) found.push(value());
    at++;
    return found;
  };
  const value = () => {
    const kind = source[at++];
    if (kind === 'n') return null;
    if (kind === 't') return true;
    if (kind === 'f') return false;
    if (kind === 'i') {
      const digits = until(';');
      return Number.isSafeInteger(Number(digits)) ? Number(digits) : BigInt(digits);
    }
    if (kind === 'd') {
      const view = new DataView(new ArrayBuffer(8));
      view.setBigUint64(0, BigInt('0x' + source.slice(at, (at += 16))));
      return view.getFloat64(0);
    }
    if (kind === 's') return until(';').replace(/%(....)/g, (_, unit) => String.fromCharCode(parseInt(unit, 16)));
    if (kind === 'b') return Uint8Array.from(until(';').match(/../g) ?? [], (byte) => parseInt(byte, 16));
    if (kind === '[') return items(']');
    if (kind === '{') return new Set(items('}'));
    const flat = items('>');
    const pairs = [];
    for (let i = 0; i < flat.length; i += 2) pairs.push([flat[i], flat[i + 1]]);
    return pairs.every(([name]) => typeof name === 'string') ? Object.fromEntries(pairs) : new Map(pairs);
  };
  return value();
}

const TABLE_ANSWERS = new Map(TABLE_ROWS);

function ENTRY(...given) {
  const answer = TABLE_ANSWERS.get(tableKey(given));
  if (answer === undefined) throw new RangeError('no such case');
  return tableRead(answer);
}
"""


def table_program(entry_point: str, cases: Sequence[CaseText], *, broken: bool = False) -> str:
    """Write the program; see `tables.table_program`."""
    lines = "\n".join(f"  ['{key}', '{text}']," for key, text in rows(cases, broken=broken))
    head, tail = _PROGRAM.replace("ENTRY", entry_point).split("{rows}")
    return head + lines + tail
