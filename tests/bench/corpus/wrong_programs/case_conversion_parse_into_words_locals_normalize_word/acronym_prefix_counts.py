# Wrong: a word that merely begins with an acronym is taken for that acronym.
def normalize_word(word, acronyms):
    upper = word.upper()
    for acronym in acronyms:
        if acronym and upper.startswith(acronym):
            return upper
    return word.capitalize()
