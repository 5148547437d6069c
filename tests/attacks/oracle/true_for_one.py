# what: a boolean for a number
# control: compare_truth
# held: wrong_output
def f(x):
    return True
