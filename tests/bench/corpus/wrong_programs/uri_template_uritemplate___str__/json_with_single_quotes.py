# wrong: sequences and maps are written as JSON with single quotes: null, escapes and booleans are not Python's
import json


def uri_template_str(expansions):
    out = []
    for part in expansions:
        if isinstance(part, (list, dict)):
            out.append(json.dumps(part, sort_keys=True).replace('"', "'"))
        else:
            out.append(str(part))
    return "".join(out)
