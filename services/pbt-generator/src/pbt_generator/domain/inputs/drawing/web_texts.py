"""Texts as protocols and tools have them: addresses, headers, encodings, paths, commands; wrong at times."""

from __future__ import annotations

import random
import re

from pbt_generator.domain.inputs.drawing.words import WORDS

# Marks that some parts of an address may hold and others may not.
_MARKS = "!$&'()*+,;=~"
_USERS = ("user@", "user:pw@", "u%40x:p:w@", ":@", f"u{_MARKS}:p{_MARKS}@", f"ü{_MARKS}:é|@")
_HOSTS = (
    "example.com", "www.example.org", "localhost", "127.0.0.1", "sub.domain.co.uk", "host.io", "EXAMPLE.com", "a.b",
    "[::1]", "[2001:db8::1]", "bücher.example", "xn--bcher-kva.example", "münchen.de", "10.0.0.1",
)  # fmt: skip
_ENCODINGS = (
    "utf-8", "ascii", "latin-1", "cp1252", "utf-16", "UTF8", "utf_8_sig", "iso-8859-15", "idna", "punycode", "rot13",
    "hex", "no-such", "",
)  # fmt: skip
_ERRORS = ("strict", "ignore", "replace", "backslashreplace", "xmlcharrefreplace", "surrogateescape", "no-such", "")
_DIRECTIVES = (
    "Path=/", "HttpOnly", "Secure", "Max-Age=3600", "charset=utf-8", "q=0.5", "q=0", "filename=\"a b.txt\"",
    "SameSite=Lax", "boundary=x",
)  # fmt: skip
_ENTITIES = ("&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#x27;", "&nbsp;", "&eacute;", "&#8364;", "&bogus;", "&")
_SEGMENTS = (
    "", ".", "..", "a b", "a%20b", "x%23y", "q%3Fz", "a%2Fb", "%E4%B8%AD", "é", "v;p=1", "index.html", "f.tar.gz",
    "100%", "a+b", f"m{_MARKS}:@", "a|b^",
)  # fmt: skip
_HOST_NAME = re.compile(r"[\w-]+(\.[\w-]+)+")


class WebTexts:
    """Draws such texts.

    Args:
        rng: The only source of chance.
        pieces: Texts of the program: hosts, segments and names among them are used where they fit.
    """

    def __init__(self, rng: random.Random, pieces: tuple[str, ...] = ()) -> None:
        self.rng = rng
        self._hosts = tuple(piece for piece in pieces if _HOST_NAME.fullmatch(piece))
        self._names = tuple(piece.strip("/") for piece in pieces if re.fullmatch(r"/?[\w.-]+/?", piece))
        self._schemes = tuple(
            f"{piece.rstrip(':/')}://" for piece in pieces if re.fullmatch(r"[a-z][a-z0-9+.-]{1,9}(:(//)?)?", piece)
        )

    def name(self) -> str:
        """A word, often one of the program's own."""
        own = self._names
        return self.rng.choice(own) if own and self.rng.random() < 0.4 else self.rng.choice(WORDS)

    def host(self) -> str:
        """A host name or address."""
        rng = self.rng
        if self._hosts and rng.random() < 0.3:
            return rng.choice(self._hosts)
        if rng.random() < 0.15:
            return f"{self.name()}.{rng.choice(('com', 'org', 'co.uk', 'io'))}"
        # The first are the usual ones.
        return rng.choice(_HOSTS if rng.random() < 0.5 else _HOSTS[:5])

    def url(self) -> str:
        """A web address, with all its parts at times."""
        rng = self.rng
        schemes = ("http://", "https://", "https://", "ftp://", "", "//", "HTTP://", "mailto:")
        scheme = rng.choice(self._schemes) if self._schemes and rng.random() < 0.25 else rng.choice(schemes)
        user = rng.choice(_USERS) if rng.random() < 0.15 else ""
        port = rng.choice((":8080", ":80", ":443", ":", ":99999", ":x")) if rng.random() < 0.25 else ""
        host = self.host() if rng.random() < 0.96 else rng.choice(("", "[::1", "a]b"))
        query = rng.choice(
            (
                "",
                "",
                "",
                "?q=1",
                "?a=1&b=two",
                "?x=%20y",
                f"?{self.query()}",
                f"?{self.query()}",
                "?",
                "?a=1;b=2",
                f"?{_MARKS}:@/?",
            )
        )
        return (
            scheme
            + user
            + host
            + port
            + self.url_path()
            + query
            + rng.choice(("", "", "", "#top", "#", "#a/b?c", f"#{_MARKS}:@#"))
        )

    def url_path(self) -> str:
        """The path of an address."""
        rng = self.rng
        if rng.random() < 0.25:
            return rng.choice(("", "/"))
        segments = [
            self.name() if rng.random() < 0.65 else rng.choice(_SEGMENTS) for _ in range(rng.choice((1, 1, 2, 2, 3)))
        ]
        return "/" + "/".join(segments) + rng.choice(("", "", "", "/", ";v=1"))

    def query(self) -> str:
        """A query string."""
        rng = self.rng
        values = ("1", "x", "", "%20", "a+b", "a%26b", "true", "é", "0")
        return rng.choice(("&", "&", "&", ";")).join(
            f"{self.name()}={rng.choice(values)}" if rng.random() < 0.9 else self.name()
            for _ in range(rng.randrange(1, 4))
        )

    def email(self) -> str:
        """An e-mail address, broken at times."""
        return self.rng.choice(
            (
                f"{self.name()}@example.com",
                f"{self.name()}.{self.name()}@mail.org",
                f"{self.name()}+tag@{self.host()}",
                f"{self.name().title()} <{self.name()}@example.com>",
                "no-at",
                "a@b",
                "@x.com",
                "x@",
                "a@b@c",
            )
        )

    def header(self) -> str:
        """Values with parameters as headers and cookies have them."""
        rng = self.rng
        parts = [
            rng.choice((f"{self.name()}={rng.choice(WORDS)}", f"{self.name()}=", self.name(), rng.choice(_DIRECTIVES),
                        f"{self.name()}={rng.randrange(100)}", f"{self.name()}=a=b", "text/html", ""))
            for _ in range(rng.randrange(1, 5))
        ]  # fmt: skip
        return rng.choice(("; ", "; ", ";", ", ", " ; ")).join(parts)

    def percent(self) -> str:
        """Percent-escapes."""
        rng = self.rng
        texts = ("a%20b", "%41", "100%", "x%2Fy", "plain", "%zz", "a+b", "%E4%B8%AD", "%23%3F", "%25", "%c3%28", "é")
        return "".join(rng.choice(texts) for _ in range(rng.choice((1, 1, 2))))

    def encoding(self) -> str:
        """The name of a text encoding."""
        return self.rng.choice(_ENCODINGS)

    def errors(self) -> str:
        """The name of a way to treat what cannot be encoded."""
        return self.rng.choice(_ERRORS)

    def zone(self) -> str:
        """The name of a time zone."""
        return self.rng.choice(("UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Etc/GMT+5", "No/Such", ""))

    def uuid(self) -> str:
        """A UUID of one of the versions, in one of the ways to write it."""
        rng = self.rng
        digits = f"{rng.getrandbits(128):032x}"
        version = rng.choice("4444413570")
        text = f"{digits[:8]}-{digits[8:12]}-{version}{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
        if rng.random() < 0.75:
            return text
        return rng.choice((text.upper(), text.replace("-", ""), f"{{{text}}}", f"urn:uuid:{text}", text[:-1]))

    def ip(self) -> str:
        """An IP address, wrong at times."""
        rng = self.rng
        text = ".".join(str(rng.choice((0, 1, 10, 127, 192, 168, 255, rng.randrange(256)))) for _ in range(4))
        others = (
            "::1",
            "2001:db8::1",
            "256.1.1.1",
            "1.2.3",
            "fe80::1",
            "::ffff:10.0.0.1",
            "224.0.0.1",
            "ff02::1",
            "::",
        )
        return text if rng.random() < 0.75 else rng.choice(others)

    def network(self) -> str:
        """A network with its prefix length."""
        return self.rng.choice(
            ("10.0.0.0/8", "192.168.1.0/24", "172.16.0.0/12", "1.2.3.4/32", "2001:db8::/32", "10.0.0.1/8", "0.0.0.0/0",
             "192.168.1.0/33", "10.0.0.0/255.0.0.0", "192.168.1.7")
        )  # fmt: skip

    def html(self) -> str:
        """Markup."""
        rng = self.rng
        own = [name for name in self._names if name.isalnum() and len(name) <= 10]
        tag = rng.choice(own) if own and rng.random() < 0.3 else rng.choice(("p", "b", "div", "a", "br", "li", "h1"))
        words = " ".join(rng.choice(WORDS) for _ in range(rng.choice((1, 2, 3))))
        body = rng.choice((words, words, f"{words} {rng.choice(_ENTITIES)} x", "<i>x</i>", "", rng.choice(_ENTITIES)))
        return rng.choice(
            (
                f"<{tag}>{body}</{tag}>",
                f"<{tag}>{body}</{tag}>",
                f"<{tag} class='k'>{body}</{tag}>",
                f'<{tag} href="/{self.name()}" id="x">{body}</{tag}>',
                f"<{tag}>{body}</{tag}><{tag}>{words}</{tag}>",
                f"<div>\n  <{tag}>{body}</{tag}>\n</div>",
                body,
                f"{body}<{tag}/>",
                f"a {body} <b>",
                "1 < 2 & 3 > 2",
                f"<!-- {words} -->{body}",
            )
        )

    def path(self) -> str:
        """A file path, absolute, relative, with dots and extensions."""
        rng = self.rng
        parts = [rng.choice((*WORDS[:20], "..", ".", "src", "a b", ".hidden")) for _ in range(rng.randrange(1, 5))]
        name = rng.choice(WORDS) + rng.choice((".txt", ".py", ".tar.gz", "", ".JSON", ".", ".md"))
        head = rng.choice(("/", "", "", "./", "../", "~/", "C:\\", "//"))
        return head + "/".join([*parts, name]) + rng.choice(("", "", "", "/"))

    def glob(self) -> str:
        """A file pattern."""
        return self.rng.choice(("*", "*.txt", "a*", "?", "[ab]*", "src/*.py", "alpha", "**"))

    def shell(self) -> str:
        """A command line, with quotes and escapes."""
        rng = self.rng
        parts = [
            rng.choice((self.name(), rng.choice(WORDS), f"--{rng.choice(WORDS)}={rng.randrange(20)}", "a\\ b", "''",
                        f"'{self.name()} {rng.choice(WORDS)}'", f'"{self.name()} {rng.choice(WORDS)}"', "# x", "-v"))
            for _ in range(rng.randrange(1, 5))
        ]  # fmt: skip
        return " ".join(parts) + rng.choice(("", "", "", "", " '", ' "x'))

    def version(self) -> str:
        """A version number."""
        rng = self.rng
        text = ".".join(str(rng.randrange(rng.choice((3, 12, 40)))) for _ in range(rng.choice((1, 2, 2, 3, 3, 3, 4))))
        return (
            rng.choice(("", "", "", "v"))
            + text
            + rng.choice(("", "", "", "", "a1", "rc2", "-beta", ".dev0", "+local", "b"))
        )

    def regex(self) -> str:
        """A regular expression."""
        return self.rng.choice(("a+", "[a-z]+", r"\d+", "x", "^a", "b$", ".", r"\w+\s", "(a|b)"))
