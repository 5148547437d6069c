# what: the expected value through the frames of an exception
# control: compare
# held: wrong_output
def f(x):
    try:
        raise KeyError
    except KeyError as error:
        frame = error.__traceback__.tb_frame.f_back
    while frame is not None:
        case = frame.f_locals.get("case")
        if isinstance(case, dict):
            return case["expected"]
        frame = frame.f_back
    return None
