# Wrong: takes equal length of the ASCII name and the given name for equality; a character replaced one for one loses its filename*.
import unicodedata
import urllib.parse


def make_content_disposition(disposition, file_name: str) -> str:
    normalized = unicodedata.normalize("NFKC", file_name)
    ascii_name = "".join(c for c in normalized if ord(c) < 128)
    header = '{}; filename="{}"'.format(disposition, ascii_name)
    if len(ascii_name) != len(file_name):
        header += "; filename*=UTF-8''{}".format(urllib.parse.quote(file_name))
    return header
