'use strict';
// Makes what a program prints leave it at once. Node queues what a pipe does not take, without bound, and drops the
// queue when the program exits; a program that prints without end would fill its memory instead of its output limit.

for (const name of ['stdout', 'stderr']) {
  const { get } = Object.getOwnPropertyDescriptor(process, name);
  Object.defineProperty(process, name, {
    configurable: true,
    enumerable: true,
    get() {
      const stream = get.call(process);
      stream._handle?.setBlocking?.(true);
      return stream;
    },
  });
}
