"""How sources are named: one spelling of each, and nothing in it that only few may know."""

from __future__ import annotations

import re

# Before the @ of a host stands a token or a password; over ssh a user alone is no secret.
_SECRET = re.compile(r"https?://[^/?#\s]*@|[\w+.-]+://[^/?#\s@]*:[^/?#\s]*@", re.IGNORECASE)


def one_spelling(kind: str, name: str) -> str:
    """A source's name as all its spellings have it; indexes take packages' names so (Python packaging, PEP 503).

    Example:
        >>> one_spelling("package", " Bolt.Ons"), one_spelling("git", "https://git.example/A.b")
        ('bolt-ons', 'https://git.example/A.b')
    """
    name = name.strip()
    return re.sub(r"[-_.]+", "-", name).lower() if kind == "package" else name


def shows_secret(name: str) -> bool:
    """Whether an address has a password or a token in it: it is told in every list and event.

    Example:
        >>> shows_secret("https://me:key@git.example/a"), shows_secret("ssh://git@git.example/a")
        (True, False)
    """
    return _SECRET.match(name.strip()) is not None
