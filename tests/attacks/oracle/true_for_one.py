# what: a boolean for a number
# control: compare_truth
def f(x):
    return True
