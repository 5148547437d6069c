# what: the expected value's own input, changed in place
# control: compare_with_shared_input
# held: wrong_output
# suite: map
def f(x):
    x["answer"] = None
    return x
