# Wrong: the tail is lowered apart from the first letter, so a final sigma in second place does not see the letter before it.
def normalize_word(word, acronyms):
    upper = word.upper()
    if upper in acronyms:
        return upper
    return word[:1].title() + word[1:].lower()
