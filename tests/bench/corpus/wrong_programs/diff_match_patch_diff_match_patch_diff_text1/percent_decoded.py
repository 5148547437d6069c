# Wrong: texts are decoded as in the delta format (%25 becomes %).
from urllib.parse import unquote


def diff_match_patch_diff_text1(diffs: list[list[int | list[object] | dict[object, object] | str | None]]) -> str:
    return "".join(unquote(text) for op, text in diffs if op != 1)
