# an empty list, map or text under mwt counts as available
def get_stanza_processors(lang_code, resources):
    mwt = resources.get(lang_code, {}).get("mwt")
    if mwt is not None and mwt is not False and mwt != 0:
        return "tokenize,mwt"
    return "tokenize"
