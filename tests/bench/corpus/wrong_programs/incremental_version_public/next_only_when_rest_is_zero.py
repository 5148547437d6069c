# NEXT stands alone only when all the other parts are zero or missing; else it goes through the ordinary format
def version_public(major, minor, micro, release_candidate, own_post, own_dev):
    if major == "NEXT" and not (
        minor or micro or release_candidate or own_post or own_dev
    ):
        return major
    rc = "" if release_candidate is None else f"rc{release_candidate}"
    post = "" if own_post is None else f".post{own_post}"
    dev = "" if own_dev is None else f".dev{own_dev}"
    return f"{major!r}.{minor}.{micro}{rc}{post}{dev}"
