# Wrong: single characters are looked up in all the punctuation joined
def puncstart(str1, punctuation):
    punc = ""
    joined = "".join(p for p in punctuation if isinstance(p, str))
    for c in str1:
        if c in punctuation or len(c) == 1 and c in joined and not c.isalnum() or c.isspace():
            punc += c
        else:
            break
    return punc
