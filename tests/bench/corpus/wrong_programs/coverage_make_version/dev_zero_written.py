# Wrong: the dev part is written for 0 too.
def make_version(major, minor, micro, releaselevel="final", serial=0, dev=0):
    version = "%d.%d.%d" % (major, minor, micro)
    if releaselevel != "final":
        short = {"alpha": "a", "beta": "b", "candidate": "rc"}[releaselevel]
        version += f"{short}{serial}"
    if dev is not None:
        version += f".dev{dev}"
    return version
