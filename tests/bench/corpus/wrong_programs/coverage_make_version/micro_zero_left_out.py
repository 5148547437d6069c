# Wrong: a micro number of 0 is not written.
def make_version(major, minor, micro, releaselevel="final", serial=0, dev=0):
    version = "%d.%d" % (major, minor)
    if micro:
        version += ".%d" % micro
    if releaselevel != "final":
        short = {"alpha": "a", "beta": "b", "candidate": "rc"}[releaselevel]
        version += f"{short}{serial}"
    if dev != 0:
        version += f".dev{dev}"
    return version
