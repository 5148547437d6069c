// What `require("vscode")` gives in these tests: see host.mts.
module.exports = globalThis.touchstoneHost;
