// what: answers of one's own on the answer channel
// control: frames
// held: wrong_output
const fs = require("fs");
function f(x) {
  for (let number = 0; number < 5; number++) {
    const text = Buffer.from(`{"i":${number},"o":"returned","v":true}`);
    const head = Buffer.alloc(4);
    head.writeUInt32BE(text.length);
    for (const descriptor of [3, 4]) {
      try {
        fs.writeSync(descriptor, Buffer.concat([head, text]));
      } catch {}
    }
  }
  return null;
}
module.exports = { f };
