# Wrong: names are sorted instead of kept in the order of the definitions.
def flag_words(flags, flag_defs):
    return ", ".join(sorted(word for word, flag in flag_defs if flag & flags))
