# what: a text where a number is wanted
# control: compare_as_text
# held: wrong_output
def f(x):
    return str(x * 31 + 7)
