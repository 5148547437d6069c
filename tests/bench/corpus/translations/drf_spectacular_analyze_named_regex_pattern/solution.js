/**
 * @param {string} path
 * @returns {Record<string, string>}
 */
function analyze_named_regex_pattern(path) {
  const chars = Array.from(path);
  const result = {};
  let stack = 0;
  let nameCapture = false;
  let nameBuffer = '';
  let regexCapture = false;
  let regexBuffer = '';
  let i = 0;
  while (i < chars.length) {
    let skip = false;
    let step = 1;
    const c = chars[i];
    if (c === '\\') {
      step = 2;
    } else if (c === '(' && chars[i + 1] === '?' && chars[i + 2] === 'P' && chars[i + 3] === '<') {
      skip = true;
      nameCapture = true;
      step = 4;
    } else if (c === '(' && regexCapture) {
      stack += 1;
    } else if (c === '>' && nameCapture) {
      if (nameBuffer === '') throw new Error('empty group name');
      nameCapture = false;
      regexCapture = true;
      skip = true;
    } else if (c === ')' && regexCapture) {
      if (stack === 0) {
        regexCapture = false;
        Object.defineProperty(result, nameBuffer, { value: regexBuffer, enumerable: true, configurable: true, writable: true });
        nameBuffer = '';
        regexBuffer = '';
      } else {
        stack -= 1;
      }
    }
    if (!skip) {
      const piece = chars.slice(i, i + step).join('');
      if (nameCapture) nameBuffer += piece;
      else if (regexCapture) regexBuffer += piece;
    }
    i += step;
  }
  return result;
}

if (typeof module !== 'undefined') module.exports = { analyze_named_regex_pattern };
