function make_version(major: number, minor: number, micro: number, releaselevel: string, serial: number, dev: number): string {
  if (releaselevel === undefined) releaselevel = "final";
  if (serial === undefined) serial = 0;
  if (dev === undefined) dev = 0;
  let version = major + "." + minor + "." + micro;
  if (releaselevel !== "final") {
    const short = ({ alpha: "a", beta: "b", candidate: "rc" } as Record<string, string>)[releaselevel];
    if (short === undefined) throw new Error("unknown release level: " + releaselevel);
    version += short + serial;
  }
  if (dev != 0) version += ".dev" + dev;
  return version;
}
