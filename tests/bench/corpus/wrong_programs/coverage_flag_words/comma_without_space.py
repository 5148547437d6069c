# Wrong: names are joined by a comma alone.
def flag_words(flags, flag_defs):
    return ",".join(word for word, flag in flag_defs if flag & flags)
