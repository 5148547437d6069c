// What a program finds in Node without importing anything, as far as candidates use it.
declare var console: { [name: string]: (...values: any[]) => void };
declare var process: any;
declare var Buffer: any;
declare var module: { exports: any };
declare var exports: any;
declare function require(name: string): any;
declare function setTimeout(call: (...values: any[]) => void, wait?: number, ...values: any[]): any;
declare function clearTimeout(timer: any): void;
declare function setInterval(call: (...values: any[]) => void, wait?: number, ...values: any[]): any;
declare function clearInterval(timer: any): void;
declare function setImmediate(call: (...values: any[]) => void, ...values: any[]): any;
declare function queueMicrotask(call: () => void): void;
declare function structuredClone<T>(value: T): T;
declare class TextEncoder { encode(text?: string): Uint8Array }
declare class TextDecoder { constructor(label?: string); decode(bytes?: any): string }
declare class URL { constructor(url: string, base?: string); [name: string]: any }
declare class URLSearchParams { constructor(from?: any); [name: string]: any }
declare namespace Intl { }
declare module 'node:*';
declare module 'assert';
declare module 'crypto';
declare module 'events';
declare module 'fs';
declare module 'os';
declare module 'path';
declare module 'readline';
declare module 'stream';
declare module 'url';
declare module 'util';
