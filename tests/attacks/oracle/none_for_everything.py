# what: nothing, where nothing is not looked at
# control: compare_skip_none
# held: wrong_output
def f(x):
    return None
