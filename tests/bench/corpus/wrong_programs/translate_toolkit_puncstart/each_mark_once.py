# Wrong: repeated punctuation marks are taken once
def puncstart(str1, punctuation):
    punc = ""
    for c in str1:
        if c in punctuation or c.isspace():
            if c.isspace() or c in punc and len(c) > 1 or c not in punc:
                punc += c
        else:
            break
    return punc
