# Wrong: a serial of 0 is not written.
def make_version(major, minor, micro, releaselevel="final", serial=0, dev=0):
    version = "%d.%d.%d" % (major, minor, micro)
    if releaselevel != "final":
        short = {"alpha": "a", "beta": "b", "candidate": "rc"}[releaselevel]
        version += f"{short}{serial or ''}"
    if dev != 0:
        version += f".dev{dev}"
    return version
