# Wrong: compares the composed (NFC) forms, so two different spellings of an accented name count as the same.
import unicodedata


def _same(a):
    return unicodedata.normalize("NFC", a) if isinstance(a, str) else a


def whitelist(name, value, seq):
    if not seq:
        return True
    return _same(name) not in [_same(field) for field in seq]
