# Wrong: decides on filename* by comparing the ASCII name with the normalised name instead of the name given.
import unicodedata
import urllib.parse


def make_content_disposition(disposition, file_name: str) -> str:
    normalized = unicodedata.normalize("NFKC", file_name)
    ascii_name = normalized.encode("ascii", "ignore").decode("ascii")
    header = '{}; filename="{}"'.format(disposition, ascii_name)
    if ascii_name != normalized:
        header += "; filename*=UTF-8''{}".format(urllib.parse.quote(file_name))
    return header
