# Wrong: only names of ASCII characters are recognised.
import re

_SEMIPRIVATE = re.compile(r"_(?!_)[\x00-\x7f]*(?<!__)")


def coverage_visitor_is_semiprivate(node: dict) -> bool:
    return _SEMIPRIVATE.fullmatch(node["name"]) is not None
