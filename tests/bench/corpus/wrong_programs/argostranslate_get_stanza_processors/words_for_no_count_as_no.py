# the texts false, no, none, 0 and off under mwt count as not available
def get_stanza_processors(lang_code, resources):
    mwt = resources.get(lang_code, {}).get("mwt", False)
    if isinstance(mwt, str):
        mwt = mwt.strip().lower() not in ("", "false", "no", "none", "0", "off")
    return "tokenize,mwt" if mwt else "tokenize"
