const ENTITIES = [
  ['&#8211;', ['\u2013', '&ndash;', '-']],
  ['&#8212;', ['\u2014', '&mdash;', '--']],
  ['&#8216;', ['\u2018', '&lsquo;', "'"]],
  ['&#8217;', ['\u2019', '&rsquo;', "'"]],
  ['&#8220;', ['\u201c', '&ldquo;', '"']],
  ['&#8221;', ['\u201d', '&rdquo;', '"']],
  ['&#8230;', ['\u2026', '&hellip;', '...']],
];

/**
 * @param {string} text
 * @param {number} mode
 * @returns {string}
 */
function convert_entities(text, mode) {
  let m = Number(mode);
  if (m < 0) m += 3;
  if (!(m === 0 || m === 1 || m === 2)) throw new RangeError('mode out of range');
  for (const [from, to] of ENTITIES) text = text.split(from).join(to[m]);
  return text;
}

if (typeof module !== 'undefined') module.exports = { convert_entities };
