# what: a text where a number is wanted
# control: compare_as_text
def f(x):
    return str(x * 31 + 7)
