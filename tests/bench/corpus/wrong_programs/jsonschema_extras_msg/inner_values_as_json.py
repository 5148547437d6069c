# Wrong: lists and maps are written as JSON, with double quotes and null.
import json


def extras_msg(extras):
    shown = []
    for extra in extras:
        if isinstance(extra, (dict, list)):
            shown.append(json.dumps(extra, ensure_ascii=False, sort_keys=True))
        else:
            shown.append(repr(extra))
    return ", ".join(shown), "was" if len(shown) == 1 else "were"
