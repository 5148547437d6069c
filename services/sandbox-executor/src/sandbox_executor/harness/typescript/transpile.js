'use strict';
// Proves that a TypeScript program can be turned into JavaScript; says in the compiler's words why it cannot.

const fs = require('node:fs');
const { stripTypeScriptTypes } = require('node:module');

try {
  stripTypeScriptTypes(fs.readFileSync(process.argv[2], 'utf8'), { mode: 'transform' });
} catch (error) {
  process.stderr.write(`${process.argv[2]}${String(error.stack).split('\n    at ')[0]}\n`);
  process.exitCode = 1;
}
