# percent escapes are decoded as in a URL
import os
import pathlib
import urllib.parse
def promote_pathlike(filepath: object) -> object:
    if filepath is None:
        return None
    text = os.fspath(filepath)
    return pathlib.Path(urllib.parse.unquote(text))
