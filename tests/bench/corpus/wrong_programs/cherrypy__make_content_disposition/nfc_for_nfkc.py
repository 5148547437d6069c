# Wrong: normalises with NFC instead of NFKC, so ligatures and full-width letters are dropped from the ASCII name instead of being written out.
import unicodedata
import urllib.parse


def make_content_disposition(disposition, file_name: str) -> str:
    ascii_name = unicodedata.normalize("NFC", file_name).encode("ascii", "ignore").decode("ascii")
    header = '{}; filename="{}"'.format(disposition, ascii_name)
    if ascii_name != file_name:
        header += "; filename*=UTF-8''{}".format(urllib.parse.quote(file_name))
    return header
