'use strict';

function comment_value(source) {
  let start = 0;
  let end = source.length;
  while (start < end && ' \t\f'.includes(source[start])) start++;
  if (start < end && (source[start] === '#' || source[start] === '!')) start++;
  while (end > start && (source[end - 1] === '\r' || source[end - 1] === '\n')) end--;
  return source.slice(start, end);
}

if (typeof module !== 'undefined') module.exports = { comment_value };
