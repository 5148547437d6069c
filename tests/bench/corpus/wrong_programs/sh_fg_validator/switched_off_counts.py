# WRONG: fg counts even when it is off
_MSG = """_fg is invalid with nearly every other option, see warning and workaround here:

    https://sh.readthedocs.io/en/latest/sections/special_arguments.html#fg"""


def fg_validator(passed_kwargs, merged_kwargs):
    allowed = {"fg", "env", "cwd", "ok_code"}
    if "fg" in passed_kwargs and set(passed_kwargs) - allowed:
        return [("fg", _MSG)]
    return []
