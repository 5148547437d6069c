# what: nothing, where nothing is not looked at
# control: compare_skip_none
def f(x):
    return None
