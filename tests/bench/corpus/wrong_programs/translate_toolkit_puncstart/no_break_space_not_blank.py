# Wrong: only the blanks of ASCII count
def puncstart(str1, punctuation):
    punc = ""
    for c in str1:
        if c in punctuation or c and not c.strip(" \t\n\r\v\f"):
            punc += c
        else:
            break
    return punc
