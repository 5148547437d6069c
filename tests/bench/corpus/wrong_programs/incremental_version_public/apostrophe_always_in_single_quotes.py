# a text major is put between single quotes also when it has an apostrophe itself (repr then takes double quotes)
import json


def version_public(major, minor, micro, release_candidate, own_post, own_dev):
    if major == "NEXT":
        return major
    if isinstance(major, str):
        major = "'" + json.dumps(major, ensure_ascii=False)[1:-1] + "'"
    rc = "" if release_candidate is None else f"rc{release_candidate}"
    post = "" if own_post is None else f".post{own_post}"
    dev = "" if own_dev is None else f".dev{own_dev}"
    return f"{major}.{minor}.{micro}{rc}{post}{dev}"
