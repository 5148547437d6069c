# Wrong: the pattern allows a plus sign only.
import re


def check_real_try(x: str) -> bool:
    return re.fullmatch(r"\+?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?", x.strip()) is not None
