'use strict';
// TypeScript's compiler takes `./helper` and `./helper.js` for the file helper.ts; the engine wants the name as it is.

const { registerHooks } = require('node:module');

const RELATIVE = /^\.{1,2}\//;
const SCRIPT = /\.(m?)js$/;

function others(specifier) {
  return SCRIPT.test(specifier) ? [specifier.replace(SCRIPT, '.$1ts')] : [`${specifier}.ts`, `${specifier}/index.ts`];
}

registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!RELATIVE.test(specifier)) throw error;
      for (const other of others(specifier)) {
        try {
          return next(other, context);
        } catch {
          // The first error names what the program asked for.
        }
      }
      throw error;
    }
  },
});
