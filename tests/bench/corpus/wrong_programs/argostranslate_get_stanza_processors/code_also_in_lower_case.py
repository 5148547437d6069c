# a code that is not found is looked up in lower case too
def get_stanza_processors(lang_code, resources):
    processors = ["tokenize"]
    entry = resources.get(lang_code, resources.get(lang_code.lower(), {}))
    if entry.get("mwt"):
        processors.append("mwt")
    return ",".join(processors)
