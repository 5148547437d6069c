# WRONG: no_out counts even when it is off
def output_iterator_validator(passed_kwargs, merged_kwargs):
    if "no_out" in passed_kwargs and passed_kwargs.get("iter") in (True, "out"):
        return [(("no_out", "iter"), "You cannot iterate over output if there is no output")]
    return []
