# post release 0 is tested for truth and taken for no post release
def version_public(major, minor, micro, release_candidate, own_post, own_dev):
    if major == "NEXT":
        return major
    rc = "" if release_candidate is None else f"rc{release_candidate}"
    post = f".post{own_post}" if own_post else ""
    dev = "" if own_dev is None else f".dev{own_dev}"
    return f"{major!r}.{minor}.{micro}{rc}{post}{dev}"
