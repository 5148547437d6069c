# Wrong: white space around the tag is ignored when it is compared with "final".
def join_version(version_tuple):
    tag = version_tuple[3]
    version = "{}.{}.{}".format(*version_tuple[:3])
    if tag.strip() != "final":
        version = "{}-{}".format(version, tag)
    return version
