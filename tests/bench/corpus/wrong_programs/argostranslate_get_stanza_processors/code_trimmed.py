# a code that is not found is looked up without the blanks at its ends
def get_stanza_processors(lang_code, resources):
    for code in (lang_code, lang_code.strip()):
        if code in resources:
            if resources[code].get("mwt"):
                return "tokenize,mwt"
            break
    return "tokenize"
