// what: success by ending, behind types
// control: program_exit
// held: exited
declare const process: { exit(code: number): never };
export function f(x: number): number {
  process.exit(0);
}
