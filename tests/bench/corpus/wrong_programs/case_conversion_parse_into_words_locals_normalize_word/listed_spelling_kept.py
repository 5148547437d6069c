# Wrong: a word that stands in the acronyms in a mixed spelling is returned in that spelling instead of capitalized.
def normalize_word(word, acronyms):
    upper = word.upper()
    if upper in acronyms:
        return upper
    if word in acronyms:
        return word
    return word.capitalize()
