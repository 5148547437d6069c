# what: a map with keys that are equal in text
# control: keys_as_text
# held: wrong_output
# suite: text_keys
def f(x):
    # As JSON by a careless runner both keys are "1", and the last one counts.
    return {1: None, "1": x}
