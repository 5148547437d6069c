# mwt with null counts as available
def get_stanza_processors(lang_code, resources):
    language = resources.get(lang_code, {})
    if "mwt" in language and language["mwt"] not in (0, False, "", [], {}):
        return "tokenize,mwt"
    return "tokenize"
