# Wrong: a final release whose third number is 0 is written without it ("0.12" for 0.12.0).
def join_version(version_tuple):
    major, minor, patch, tag = version_tuple
    version = "%s.%s" % (major, minor)
    if tag == "final" and patch == 0:
        return version
    version += ".%s" % patch
    if tag != "final":
        version += "-" + tag
    return version
