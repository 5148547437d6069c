# WRONG: fg is reported as an option beside itself
_MSG = """_fg is invalid with nearly every other option, see warning and workaround here:

    https://sh.readthedocs.io/en/latest/sections/special_arguments.html#fg"""


def fg_validator(passed_kwargs, merged_kwargs):
    allowed = {"env", "cwd", "ok_code"}
    if passed_kwargs.get("fg") and set(passed_kwargs) - allowed:
        return [("fg", _MSG)]
    return []
