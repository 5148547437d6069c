# WRONG: either option is refused
def output_iterator_validator(passed_kwargs, merged_kwargs):
    if passed_kwargs.get("no_out") or passed_kwargs.get("iter") in (True, "out"):
        return [(("no_out", "iter"), "You cannot iterate over output if there is no output")]
    return []
