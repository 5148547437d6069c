# Wrong: the pattern knows two levels of blocks only.
import re

STRING = "\"[^\"]*\"|'[^']*'"
PLAIN = "[^{}\"']"
INNER = r"\{(?:%s|%s)*\}" % (PLAIN, STRING)
BLOCK = re.compile(r"\{(?:%s|%s|%s)*\}" % (PLAIN, STRING, INNER))


def skipBlock(src: str) -> str:
    start = src.find("{")
    if start < 0:
        return ""
    found = BLOCK.match(src, start)
    if not found:
        return ""
    return src[found.end():].lstrip()
