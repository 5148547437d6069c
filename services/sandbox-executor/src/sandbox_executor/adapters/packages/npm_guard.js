// Loaded before npm: what npm may ask, whatever packages want. Only the configured registries are asked, only packages
// that they name by a version, a range or a tag are followed, and no program starts. A refusal ends npm at once, in a
// line that `npm.py` reads.
"use strict";
const fs = require("fs");
const net = require("net");
const child = require("child_process");

const settings = JSON.parse(process.env.TOUCHSTONE_NPM_GUARD);
const MARK = "@touchstone-refused";
const refusals = [];
const origins = new Set(settings.registries.map((text) => new URL(text).origin));
if (settings.standard) {
  const npm = require("path").dirname(require("path").dirname(process.argv[1]));
  const { definitions } = require(`${npm}/node_modules/@npmcli/config/lib/definitions`);
  origins.add(new URL(definitions.registry.default).origin);
}
const ports = { "http:": 80, "https:": 443 };
const place = (host, port) => `${String(host).toLowerCase().replace(/^\[|\]$/g, "")} ${port}`;
const places = new Set();
for (const text of [...origins, ...settings.proxies]) {
  const { protocol, hostname, port } = new URL(text);
  places.add(place(hostname, port || ports[protocol] || 1080));
}

function refuse(kind, name, version) {
  const words = [kind, name, version].map((text) => String(text).slice(0, 214));
  // Letters of ASCII alone, so that no terminal and no reader takes them for more.
  const line = JSON.stringify(words).replace(/[^ -~]/g, "?");
  fs.writeSync(2, `\nnpm error touchstone-refused ${line}\n`);
  process.reallyExit(1);
}

// A dependency that is no version, range or tag becomes the name of a package that is refused when npm asks for it:
// those that npm leaves alone, as of another version, refuse nothing.
const NAME = /^npm:(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*(?:@[^/:\\]*)?$/i;
const isNamed = (spec) =>
  typeof spec === "string" &&
  (NAME.test(spec) || (!/[/:\\]/.test(spec) && !spec.trim().startsWith("."))) &&
  !/\.(?:tgz|tar|tar\.gz)\s*$/i.test(spec);
const isMap = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const marker = (kind, manifest) =>
  `npm:${MARK}/${refusals.push([kind, manifest.name ?? "", manifest.version ?? ""]) - 1}@*`;

function check(manifest) {
  for (const kind of ["dependencies", "optionalDependencies", "peerDependencies"]) {
    const needs = manifest[kind];
    if (!isMap(needs)) continue;
    for (const name of Object.keys(needs)) {
      if (!isNamed(needs[name])) needs[name] = marker("address", manifest);
    }
  }
  // Its archive would say what it needs, at addresses and by proofs of its own.
  if (manifest._hasShrinkwrap || manifest.hasShrinkwrap) {
    delete manifest._hasShrinkwrap;
    delete manifest.hasShrinkwrap;
    const needs = isMap(manifest.dependencies) ? manifest.dependencies : {};
    manifest.dependencies = { ...needs, "touchstone-shrinkwrap": marker("shrinkwrap", manifest) };
  }
}

const parse = JSON.parse;
JSON.parse = function (...details) {
  const value = parse(...details);
  // The answer of a registry about a package, or the manifest of one.
  if (isMap(value)) {
    if (isMap(value.versions)) Object.values(value.versions).filter(isMap).forEach(check);
    else if (typeof value.name === "string" && !("lockfileVersion" in value)) check(value);
  }
  return value;
};

for (const scheme of ["http", "https"]) {
  const client = require(scheme);
  const request = client.request;
  client.request = client.get = function (target, ...details) {
    const asked = target instanceof URL || typeof target === "string" ? new URL(target) : target;
    const protocol = asked.protocol || `${scheme}:`;
    const host = asked.hostname || asked.host;
    const url = new URL(`${protocol}//${host}${asked.port ? `:${asked.port}` : ""}`);
    const path = asked.path || asked.pathname || "/";
    const found = decodeURIComponent(path).match(new RegExp(`${MARK}/([0-9]+)`));
    if (found) refuse(...refusals[Number(found[1])]);
    if (!origins.has(url.origin)) refuse("address", "", "");
    return request.call(this, target, ...details);
  };
}

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...details) {
  const first = Array.isArray(details[0]) ? details[0][0] : details[0];
  const { host = "localhost", port, path } =
    typeof first === "object" ? first : { port: first, host: typeof details[1] === "string" ? details[1] : undefined };
  if (path && !port) refuse("address", "", "");
  if (!places.has(place(host, port))) refuse("address", "", "");
  return connect.apply(this, details);
};

child.ChildProcess.prototype.spawn = () => refuse("program", "", "");
for (const name of ["spawnSync", "execSync", "execFileSync"]) child[name] = () => refuse("program", "", "");
