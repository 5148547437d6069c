# Wrong: writes the final sigma only for the last letter of the whole text, not at the end of every word.
def name_normalizer_normalize_name(aliases, name: str):
    lowered = "".join(ch.lower() for ch in name)
    if len(name) > 1 and name[-1] == "\u03a3" and name[-2].isalpha():
        lowered = lowered[:-1] + "\u03c2"
    return aliases.get(lowered, lowered)
