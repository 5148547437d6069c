# the word NEXT is recognised whatever the case of its letters
def version_public(major, minor, micro, release_candidate, own_post, own_dev):
    if str(major).upper() == "NEXT":
        return major
    rc = "" if release_candidate is None else f"rc{release_candidate}"
    post = "" if own_post is None else f".post{own_post}"
    dev = "" if own_dev is None else f".dev{own_dev}"
    return f"{major!r}.{minor}.{micro}{rc}{post}{dev}"
