# WRONG: the names are reported in the other order
def output_iterator_validator(passed_kwargs, merged_kwargs):
    if passed_kwargs.get("no_out") and passed_kwargs.get("iter") in (True, "out"):
        return [(("iter", "no_out"), "You cannot iterate over output if there is no output")]
    return []
