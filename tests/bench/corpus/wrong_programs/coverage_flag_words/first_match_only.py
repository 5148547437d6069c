# Wrong: the loop stops at the first name.
def flag_words(flags, flag_defs):
    for word, flag in flag_defs:
        if flag & flags:
            return word
    return ""
