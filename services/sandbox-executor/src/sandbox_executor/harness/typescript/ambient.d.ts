// What a program finds in Node without importing anything, where its types are worth knowing. What else this Node has,
// and its modules, typecheck.js declares of type any.
declare var console: { [name: string]: (...values: any[]) => void };
declare var process: any;
declare var Buffer: any;
interface Buffer extends Uint8Array { [name: string]: any }
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
