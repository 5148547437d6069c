/**
 * @param {number} major
 * @param {number} minor
 * @param {number} micro
 * @param {string} releaselevel
 * @param {number} serial
 * @param {number} dev
 * @returns {string}
 */
function make_version(major, minor, micro, releaselevel, serial, dev) {
  if (releaselevel === undefined) releaselevel = "final";
  if (serial === undefined) serial = 0;
  if (dev === undefined) dev = 0;
  let version = major + "." + minor + "." + micro;
  if (releaselevel !== "final") {
    const short = ({ alpha: "a", beta: "b", candidate: "rc" })[releaselevel];
    if (short === undefined) throw new Error("unknown release level: " + releaselevel);
    version += short + serial;
  }
  if (dev != 0) version += ".dev" + dev;
  return version;
}
