# Wrong: a word that is already all capitals is taken for an acronym even when it is not in the list.
def normalize_word(word, acronyms):
    upper = word.upper()
    if upper in acronyms or word.isupper():
        return upper
    return word.capitalize()
