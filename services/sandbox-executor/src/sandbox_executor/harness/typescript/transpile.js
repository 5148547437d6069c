'use strict';
// Proves that a TypeScript program can be turned into JavaScript; says in the compiler's words why it cannot. Where it,
// or a file beside it, names a type as if it were a value, that name is marked in the file (types.js).

const fs = require('node:fs');
const path = require('node:path');
const { stripTypeScriptTypes } = require('node:module');
const { markTypes } = require('./types.js');

const source = process.argv[2];

async function mark(file) {
  const written = fs.readFileSync(file, 'utf8');
  const marked = await markTypes(written);
  if (marked !== written) fs.writeFileSync(file, marked);
}

async function main() {
  try {
    stripTypeScriptTypes(fs.readFileSync(source, 'utf8'), { mode: 'transform' });
  } catch (error) {
    process.stderr.write(`${source}${String(error.stack).split('\n    at ')[0]}\n`);
    process.exitCode = 1;
    return;
  }
  const folder = path.dirname(source);
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && /\.m?ts$/.test(entry.name) && !path.relative(folder, file).split(path.sep).includes('node_modules')) await mark(file);
  }
}

main();
