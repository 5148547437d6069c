# what: a list that contains itself
# control: compare_to_depth
def f(x):
    loop = []
    loop.append(loop)
    return loop
