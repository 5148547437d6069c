# WRONG: the merged options are looked at
def output_iterator_validator(passed_kwargs, merged_kwargs):
    if merged_kwargs.get("no_out") and merged_kwargs.get("iter") in (True, "out"):
        return [(("no_out", "iter"), "You cannot iterate over output if there is no output")]
    return []
