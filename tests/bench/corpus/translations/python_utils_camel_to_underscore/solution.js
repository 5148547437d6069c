'use strict';

function camel_to_underscore(name) {
  const isUpper = (c) => c !== undefined && /^\p{Uppercase}$/u.test(c);
  const isLower = (c) => c !== undefined && /^\p{Lowercase}$/u.test(c);
  const chars = Array.from(name);
  const output = [];
  for (let i = 0; i < chars.length; i++) {
    const c = chars[i];
    if (i > 0) {
      const pc = chars[i - 1];
      if (isUpper(c)) {
        if (!isUpper(pc) && pc !== '_') output.push('_');
      } else if (i > 1 && isLower(c) && isUpper(pc) && isUpper(chars[i - 2])) {
        const plural = c === 's' && !isLower(chars[i + 1]);
        if (!plural) output.splice(output.length - 1, 0, '_');
      }
    }
    output.push(c);
  }
  return output.join('').toLowerCase();
}

if (typeof module !== 'undefined') module.exports = { camel_to_underscore };
