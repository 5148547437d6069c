// What a program finds in Node without importing anything, where its types are worth knowing. What else this Node has,
// and its modules, typecheck.js declares of type any.
declare var console: { [name: string]: (...values: any[]) => void };
declare var process: { exit(code?: any): never; abort(): never; reallyExit(code?: any): never; [name: string]: any };
declare var Buffer: any;
type Buffer<T = any> = any;
type BufferEncoding = any;
declare var module: any;
declare var exports: any;
declare var require: any;
declare var global: any;
declare var WebAssembly: any;
declare var __filename: string;
declare var __dirname: string;
declare function setTimeout(call: (...values: any[]) => void, wait?: number, ...values: any[]): any;
declare function clearTimeout(timer: any): void;
declare function setInterval(call: (...values: any[]) => void, wait?: number, ...values: any[]): any;
declare function clearInterval(timer: any): void;
declare function setImmediate(call: (...values: any[]) => void, ...values: any[]): any;
declare function queueMicrotask(call: () => void): void;
declare function structuredClone<T>(value: T, options?: any): T;
declare class TextEncoder { encode(text?: string): Uint8Array; [name: string]: any }
declare class TextDecoder { constructor(label?: string, options?: any); decode(bytes?: any, options?: any): string; [name: string]: any }
declare namespace Intl { }
declare namespace NodeJS {
  type Timeout = any;
  type Timer = any;
  type Immediate = any;
  type ErrnoException = any;
  type ReadableStream = any;
  type WritableStream = any;
}
declare module 'node:*';

// What its functions prove is known behind their calls.
declare module 'assert' {
  function assert(value: unknown, message?: any): asserts value;
  namespace assert {
    const strict: typeof assert;
    const Assert: any;
    const CallTracker: any;
    const AssertionError: any;
    type AssertionError = any;
    function ok(value: unknown, message?: any): asserts value;
    function fail(...values: any[]): never;
    function ifError(value: unknown): asserts value is null | undefined;
    function equal(actual: unknown, expected: unknown, message?: any): void;
    function notEqual(actual: unknown, expected: unknown, message?: any): void;
    function deepEqual(actual: unknown, expected: unknown, message?: any): void;
    function notDeepEqual(actual: unknown, expected: unknown, message?: any): void;
    function strictEqual<T>(actual: unknown, expected: T, message?: any): asserts actual is T;
    function notStrictEqual(actual: unknown, expected: unknown, message?: any): void;
    function deepStrictEqual<T>(actual: unknown, expected: T, message?: any): asserts actual is T;
    function notDeepStrictEqual(actual: unknown, expected: unknown, message?: any): void;
    function partialDeepStrictEqual(actual: unknown, expected: unknown, message?: any): void;
    function throws(call: () => unknown, ...values: any[]): void;
    function doesNotThrow(call: () => unknown, ...values: any[]): void;
    function rejects(call: any, ...values: any[]): Promise<void>;
    function doesNotReject(call: any, ...values: any[]): Promise<void>;
    function match(value: string, pattern: RegExp, message?: any): void;
    function doesNotMatch(value: string, pattern: RegExp, message?: any): void;
  }
  export = assert;
}
declare module 'assert/strict' { import assert = require('assert'); export = assert; }
declare module 'node:assert' { import assert = require('assert'); export = assert; }
declare module 'node:assert/strict' { import assert = require('assert'); export = assert; }
