
// The weak judge of TypeScript programs: asserts and candidate share a process.
if (f(1) !== 38) throw new Error("wrong");
