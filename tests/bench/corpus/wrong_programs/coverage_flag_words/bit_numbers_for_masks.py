# Wrong: the second entry is taken as a bit number.
def flag_words(flags, flag_defs):
    return ", ".join(word for word, flag in flag_defs if flags & (1 << flag))
