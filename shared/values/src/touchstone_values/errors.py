"""What can go wrong with a portable value."""

from __future__ import annotations


class ValueFormError(Exception):
    """A value or a text has no place in the portable form."""


class UnportableError(ValueFormError):
    """An object cannot be written as a portable value.

    Attributes:
        path: Where the object sits, for example `$[2].name`.
        type_name: The name of its type, or the reason in words (`nesting deeper than 200`).
    """

    def __init__(self, path: str, type_name: str) -> None:
        super().__init__(f"{path}: {type_name} has no portable form")
        self.path = path
        self.type_name = type_name


class MalformedValueError(ValueFormError):
    """A text is not a portable value.

    Attributes:
        path: Where the fault sits; `$` is the whole value.
        reason: What is wrong there.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason
