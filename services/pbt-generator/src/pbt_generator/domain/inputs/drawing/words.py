"""Words and characters that drawn texts are made of."""

from __future__ import annotations

WORDS = (
    "alpha", "beta", "gamma", "data", "test", "hello", "world", "foo", "bar", "item", "value", "name", "user", "blue",
    "red", "cat", "dog", "tree", "one", "two", "three", "the", "a", "an", "of", "and", "is", "run", "box", "city",
    "error", "key", "x", "y", "Zed", "Apple", "NASA", "iPhone", "Bob", "main", "order", "price",
)  # fmt: skip
PUNCTUATION = ".,;:!?-_/\\()[]{}<>'\"@#$%^&*+=|~` "
ACCENTED = ("e\u0301", "n\u0303", "é", "ü", "ñ", "中", "Ω", "ж", "—", "“", "°")
ASCII = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
# One or more of every general category that a text can well hold: letters of each case, marks, numbers, punctuation,
# symbols, separators, controls; full width, ligatures and right-to-left letters among them.
CATEGORIES = (
    "A", "z", "é", "ǅ", "ʰ", "中", "ア", "ｱ", "Ａ", "ﬁ", "\u05e9", "\u0639", "Ω", "İ", "\u0301", "\u0308",
    "\u0327", "\u0903", "\u20dd", "7", "٣", "Ⅷ", "²", "½", "①", "１", "_", "‿", "-", "—", "(", "[", ")", "«",
    "»", "!", "。", "、", "…", "！", "+", "±", "＋", "€", "$", "^", "´", "¨", "©", "°", "★", " ", "\u00a0",
    "\u3000", "\u2028", "\u2029", "\u0009", "\u000a", "\u0000", "\u007f", "\u0085", "\u200b", "\u00ad",
    "\ufeff", "\ue000", "\u0378",
)  # fmt: skip
