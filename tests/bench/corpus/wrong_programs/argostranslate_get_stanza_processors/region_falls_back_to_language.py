# a code with a region falls back to the language alone
def get_stanza_processors(lang_code, resources):
    language = resources.get(lang_code)
    if language is None:
        language = resources.get(lang_code.replace("_", "-").split("-")[0], {})
    return "tokenize,mwt" if language.get("mwt") else "tokenize"
