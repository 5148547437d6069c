# WRONG: env, cwd and ok_code are refused as well
_MSG = """_fg is invalid with nearly every other option, see warning and workaround here:

    https://sh.readthedocs.io/en/latest/sections/special_arguments.html#fg"""


def fg_validator(passed_kwargs, merged_kwargs):
    allowed = {"fg"}
    if passed_kwargs.get("fg") and set(passed_kwargs) - allowed:
        return [("fg", _MSG)]
    return []
