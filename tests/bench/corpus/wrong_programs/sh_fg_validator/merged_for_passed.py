# WRONG: the merged options are looked at
_MSG = """_fg is invalid with nearly every other option, see warning and workaround here:

    https://sh.readthedocs.io/en/latest/sections/special_arguments.html#fg"""


def fg_validator(passed_kwargs, merged_kwargs):
    allowed = {"fg", "env", "cwd", "ok_code"}
    if passed_kwargs.get("fg") and set(merged_kwargs) - allowed:
        return [("fg", _MSG)]
    return []
