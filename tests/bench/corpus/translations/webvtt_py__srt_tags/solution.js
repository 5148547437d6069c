const SPACE = /[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

function compareTexts(a, b) {
  const x = Array.from(a);
  const y = Array.from(b);
  for (let i = 0; i < x.length && i < y.length; i++) {
    const d = x[i].codePointAt(0) - y[i].codePointAt(0);
    if (d !== 0) return d;
  }
  return x.length - y.length;
}

/**
 * @param {string} tag
 * @param {Record<string, [number, string]>} colours
 * @returns {string[] | null}
 */
function srt_tags(tag, colours) {
  const token = tag.split(SPACE).find((part) => part !== '');
  if (token === undefined) return null;
  const [name, ...classes] = token.split('.');
  if (!/^\p{L}+$/u.test(name)) return null;
  if (name === 'font') return [name, `<${tag}>`, '</font>'];
  let start = '';
  let end = '';
  if (name === 'b' || name === 'i' || name === 'u') {
    start = `<${name}>`;
    end = `</${name}>`;
  }
  let best = null;
  for (const c of classes) {
    if (!Object.prototype.hasOwnProperty.call(colours, c)) continue;
    const item = colours[c];
    if (best === null || item[0] > best[0] || (item[0] == best[0] && compareTexts(item[1], best[1]) > 0)) best = item;
  }
  if (best !== null) {
    start += `<font color="${best[1]}">`;
    end = '</font>' + end;
  }
  return [name, start, end];
}

if (typeof module !== 'undefined') module.exports = { srt_tags };
