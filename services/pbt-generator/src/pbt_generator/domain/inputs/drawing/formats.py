"""Texts as protocols, tools and programs write them, by a grammar: addresses, paths, literals; wrong at times."""

from __future__ import annotations

import random
import re

from pbt_generator.domain.inputs.drawing.words import WORDS

# A part by its name.
_PART = re.compile("`([^`]+)`")
# Marks that some parts of an address may hold and others may not.
_MARKS = "!$&'()*+,;=~"
# What a text of each name is: one of these, likelier where it stands twice.
_RULES: dict[str, tuple[str, ...]] = {
    "digit": tuple("0123456789"),
    "hex4": ("`x``x``x``x`",),
    "x": tuple("0123456789abcdef"),
    "number": ("`digit`", "`digit``digit`", "`digit``digit``digit`"),
    "word": WORDS,
    "name": WORDS,
    "host": (
        "example.com", "www.example.org", "localhost", "127.0.0.1", "sub.domain.co.uk", "`name`.com", "`name`.io",
        "EXAMPLE.com", "a.b", "[::1]", "[2001:db8::1]", "bücher.example", "xn--bcher-kva.example", "10.0.0.1",
    ),
    "scheme": ("http://", "https://", "https://", "ftp://", "", "//", "HTTP://", "mailto:"),
    "user": (*[""] * 24, "user@", "user:pw@", "u%40x:p:w@", ":@", f"u{_MARKS}:p{_MARKS}@", f"ü{_MARKS}:é|@"),
    "port": (*[""] * 14, ":8080", ":80", ":443", ":", ":99999", ":x"),
    "where": (*["`host`"] * 40, "", "[::1", "a]b"),
    "segment": (
        *["`name`"] * 24, "", ".", "..", "a b", "a%20b", "x%23y", "q%3Fz", "a%2Fb", "%E4%B8%AD", "é", "v;p=1",
        "index.html", "f.tar.gz", "100%", "a+b", f"m{_MARKS}:@", "a|b^",
    ),
    "way": ("", "/", "/`segment`", "/`segment`", "/`segment`/`segment`", "/`segment`/`segment`/", "/`segment`;v=1"),
    "asked": ("", "", "", "?q=1", "?x=%20y", "?`query`", "?`query`", "?", "?a=1;b=2", f"?{_MARKS}:@/?"),
    "end": ("", "", "", "#top", "#", "#a/b?c", f"#{_MARKS}:@#"),
    "url": ("`scheme``user``where``port``way``asked``end`",),
    "pair": (*(f"`name`={value}" for value in ("1", "x", "", "%20", "a+b", "a%26b", "true", "é", "0")), "`name`"),
    "query": ("`pair`", "`pair`&`pair`", "`pair`&`pair`&`pair`", "`pair`;`pair`"),
    "email": (
        "`name`@example.com", "`name`.`name`@mail.org", "`name`+tag@`host`", "Bob `word` <`name`@example.com>",
        "no-at", "a@b", "@x.com", "x@", "a@b@c",
    ),
    "directive": (
        *("`name`=`word`", "`name`=`number`") * 4, "`name`=", "`name`", "`name`=a=b", "text/html", "", "Path=/",
        "HttpOnly", "Max-Age=3600", "charset=utf-8", "q=0.5", "q=0", 'filename="a b.txt"',
    ),
    "header": ("`directive`", "`directive`; `header`", "`directive`;`directive`", "`directive`, `directive`"),
    "escape": ("a%20b", "%41", "100%", "x%2Fy", "plain", "%zz", "a+b", "%E4%B8%AD", "%23%3F", "%25", "%c3%28", "é"),
    "percent": ("`escape`", "`escape`", "`escape``escape`"),
    "encoding": (
        "utf-8", "ascii", "latin-1", "cp1252", "utf-16", "UTF8", "utf_8_sig", "iso-8859-15", "idna", "punycode",
        "rot13", "hex", "no-such", "",
    ),
    "errors": (
        "strict", "ignore", "replace", "backslashreplace", "xmlcharrefreplace", "surrogateescape", "no-such", "",
    ),
    "zone": ("UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "Etc/GMT+5", "No/Such", ""),
    "version of uuid": tuple("4444413570"),
    "plain uuid": ("`hex4``hex4`-`hex4`-`version of uuid``x``x``x`-a`x``x``x`-`hex4``hex4``hex4`",),
    "uuid": (*["`plain uuid`"] * 6, "{`plain uuid`}", "urn:uuid:`plain uuid`", "`hex4`-`hex4`", "`hex4``hex4`" * 4),
    "byte": ("0", "1", "10", "127", "192", "168", "255", "1`digit``digit`", "`digit`"),
    "ip": (
        *["`byte`.`byte`.`byte`.`byte`"] * 20, "::1", "2001:db8::1", "256.1.1.1", "1.2.3", "fe80::1",
        "::ffff:10.0.0.1", "224.0.0.1", "ff02::1", "::",
    ),
    "ipnet": (
        "10.0.0.0/8", "192.168.1.0/24", "172.16.0.0/12", "1.2.3.4/32", "2001:db8::/32", "10.0.0.1/8", "0.0.0.0/0",
        "192.168.1.0/33", "10.0.0.0/255.0.0.0", "192.168.1.7",
    ),
    "tag": ("p", "b", "div", "a", "br", "li", "h1"),
    "entity": ("&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#x27;", "&nbsp;", "&eacute;", "&#8364;", "&bogus;", "&"),
    "inner": ("`word`", "`word` `word`", "`word` `entity` x", "<i>x</i>", "", "`entity`"),
    "element": (
        "<p>`inner`</p>", "<div>`inner`</div>", "<b class='k'>`inner`</b>", '<a href="/`name`" id="x">`inner`</a>',
        "<li>`inner`</li><li>`word`</li>", "<h1>`inner`</h1>", "<`name`>`inner`</`name`>",
    ),
    "html": (
        *["`element`"] * 6, "<div>\n  `element`\n</div>", "`inner`", "`inner`<`tag`/>", "a `inner` <b>",
        "1 < 2 & 3 > 2", "<!-- `word` -->`inner`",
    ),
    "folder": ("`word`/", "`word`/", "`word`/`folder`", "../", "./", "src/", "a b/", ".hidden/"),
    "file": (*["`word`.txt", "`word`.py"] * 2, "`word`.tar.gz", "`word`", "`word`.JSON", "`word`.", "`word`.md"),
    "head": ("/", "/", "", "", "", "./", "../", "~/", "C:\\", "//"),
    "path": ("`head``file`", *["`head``folder``file`"] * 4, "`head``folder``file`/"),
    "glob": ("*", "*.txt", "a*", "?", "[ab]*", "src/*.py", "alpha", "**"),
    "argument": (
        *["`word`", "`name`", "--`word`=`number`"] * 2, "a\\ b", "''", "'`name` `word`'", '"`word` x"', "# x", "-v",
    ),
    "shell": (*["`argument`", "`argument` `shell`"] * 4, "`argument` 'x", '`argument` "'),
    "numbers": ("`number`", "`number`.`number`", "`number`.`number`.`number`", "`number`.`number`.`number`.`number`"),
    "version": (*["`numbers`"] * 8, "v`numbers`", "v`numbers`",
                *(f"`numbers`{end}" for end in ("a1", "rc2", "-beta", ".dev0", "+local", "b"))),
    "regex": ("a+", "[a-z]+", r"\d+", "x", "^a", "b$", ".", r"\w+\s", "(a|b)"),
    "time:iso": ("0`digit`:`sixty`", "1`digit`:`sixty`:`sixty`", "2`three`:`sixty`"),
    "three": tuple("0123"),
    "sixty": ("`five``digit`",),
    "five": tuple("012345"),
    "dateformat": ("%Y-%m-%d", "%d/%m/%Y", "%H:%M:%S", "%Y-%m-%dT%H:%M:%S"),
    "no date": ("tomorrow", "not a date", "2024-13-01", "2023-02-30", "", "2024", "12:30", "N/A"),
    "scalar": (
        *["'`word`'", '"`name`"', "'`name`'", "`number`"] * 3, "' `word`'", "'`name` '", "''", "1", "0", "-3", "1.5",
        "-0.25", "None", "True", "False", "1e3",
    ),
    "item": (*["`scalar`"] * 12, "[]", "[`items`]", "[`items`]", "(`items`,)", "{'`name`': `item`}"),
    "items": ("`item`", "`item`, `item`", "`scalar`, `scalar`, `item`"),
    "whole": ("[]", *["[`items`]"] * 4, "(`items`)", "(`item`,)", "{}", "{'`name`': `item`}", *["`scalar`"] * 5,
              "{'`name`': `item`, \"`name`\": `item`}"),
    "literal": (*["`whole`"] * 16, " `whole`", "`whole`\n", "[`items`", "x = `whole`"),
}  # fmt: skip
FORMATS = frozenset(_RULES)
_HOST_NAME = re.compile(r"[\w-]+(\.[\w-]+)+")


class FormatSampler:
    """Draws such texts.

    Args:
        rng: The only source of chance.
        pieces: Texts of the program: hosts, schemes and names among them are used where they fit.
    """

    def __init__(self, rng: random.Random, pieces: tuple[str, ...] = ()) -> None:
        self.rng = rng
        hosts = [piece for piece in pieces if _HOST_NAME.fullmatch(piece)]
        names = [piece.strip("/") for piece in pieces if re.fullmatch(r"/?[\w.-]+/?", piece)]
        schemes = [
            f"{piece.rstrip(':/')}://" for piece in pieces if re.fullmatch(r"[a-z][a-z0-9+.-]{1,9}(:(//)?)?", piece)
        ]
        self._own = {"host": hosts, "name": names, "scheme": schemes}

    def text(self, name: str) -> str:
        """A text of a name of `FORMATS`."""
        own = self._own.get(name)
        chosen = self.rng.choice(own if own and self.rng.random() < 0.3 else _RULES[name])
        return _PART.sub(lambda part: self.text(part[1]), chosen)
