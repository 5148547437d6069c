# Wrong: marks "%" as safe when quoting (so as not to encode twice), so a percent sign in the name is read as the start of an escape.
import unicodedata
import urllib.parse


def make_content_disposition(disposition, file_name: str) -> str:
    ascii_name = unicodedata.normalize("NFKC", file_name).encode("ascii", "ignore").decode("ascii")
    header = '{}; filename="{}"'.format(disposition, ascii_name)
    if ascii_name != file_name:
        header += "; filename*=UTF-8''" + urllib.parse.quote(file_name, safe="/%")
    return header
