# Wrong: a name counts only when all bits of its mask are set.
def flag_words(flags, flag_defs):
    return ", ".join(word for word, flag in flag_defs if flag & flags == flag)
