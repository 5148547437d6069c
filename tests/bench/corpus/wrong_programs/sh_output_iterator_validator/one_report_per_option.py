# WRONG: each option is reported by itself
def output_iterator_validator(passed_kwargs, merged_kwargs):
    if passed_kwargs.get("no_out") and passed_kwargs.get("iter") in (True, "out"):
        msg = "You cannot iterate over output if there is no output"
        return [(("no_out",), msg), (("iter",), msg)]
    return []
