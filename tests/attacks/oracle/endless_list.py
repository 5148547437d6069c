# what: a list that contains itself
# control: compare_to_depth
# held: raised UnportableError
def f(x):
    loop = []
    loop.append(loop)
    return loop
