'use strict';
// Makes what a program prints leave it at once. Node queues what a pipe does not take, without bound, and drops the
// queue when the program exits; a program that prints without end would fill its memory instead of its output limit.

const { writeSync } = require('node:fs');
const fromText = Buffer.from;

for (const name of ['stdout', 'stderr']) {
  const { get } = Object.getOwnPropertyDescriptor(process, name);
  let ready = false;
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get() {
      const stream = get.call(process);
      if (!ready && stream._handle?.setBlocking) {
        ready = true;
        stream._handle.setBlocking(true);
        // Written here to the last byte: the engine's own way waits for the event loop when a pipe takes only a part.
        stream._write = (chunk, encoding, done) => {
          const data = typeof chunk === 'string' ? fromText(chunk, encoding) : chunk;
          try {
            for (let at = 0; at < data.length; ) at += writeSync(stream.fd, data, at, data.length - at);
          } catch (error) {
            done(error);
            return;
          }
          done();
        };
        stream._writev = undefined;
      }
      return stream;
    },
  });
}
