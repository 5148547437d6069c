# Wrong: any tag that begins with "final" is taken for "final" and left out.
def join_version(version_tuple):
    numbers = ".".join(str(part) for part in version_tuple[:3])
    tag = version_tuple[3]
    if tag.startswith("final"):
        return numbers
    return numbers + "-" + tag
