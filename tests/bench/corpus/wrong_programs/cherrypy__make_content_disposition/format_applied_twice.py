# Wrong: appends the filename* template to the finished header and formats the whole again, so braces in the name are taken for fields.
import unicodedata
import urllib.parse


def make_content_disposition(disposition, file_name: str) -> str:
    ascii_name = unicodedata.normalize("NFKC", file_name).encode("ascii", "ignore").decode("ascii")
    header = '{}; filename="{}"'.format(disposition, ascii_name)
    if ascii_name != file_name:
        header += "; filename*=UTF-8''{}"
        header = header.format(urllib.parse.quote(file_name))
    return header
