# what: NaN, where a comparison takes it for anything
# control: compare_not_unequal
# held: wrong_output
def f(x):
    return float("nan")
