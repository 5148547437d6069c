# WRONG: the text between the brackets is split by hand, annotations stay
def get_function_args(function_source):
    head = function_source.partition("(")[2].partition(")")[0]
    return [p.split("=")[0].strip() for p in head.split(",") if p.strip() not in ("", "*")]
