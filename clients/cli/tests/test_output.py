"""What foreign words may say to a terminal: nothing."""

import json

import pytest

from touchstone_cli import output
from touchstone_cli.main import _end
from touchstone_cli.sandbox_session import say_refused

# Colours, titles, a cleared screen, the 8-bit form of them, an order of letters turned around, a lone surrogate.
FOREIGN = "a\x1b[31m\x1b]0;t\x07\x1b[2J\x9b1m\u202eb\r\x7f\u2066c\ud800"
OBEYED = ("\x1b", "\x07", "\x9b", "\u202e", "\r", "\x7f", "\u2066", "\ud800")


class Refused:
    target = f"x\nrefused: all is well{FOREIGN}"
    reason = f"tab\there{FOREIGN}"


@pytest.mark.parametrize(
    "show",
    [
        lambda: output.say(FOREIGN),
        lambda: output.print_json({"detail": FOREIGN}),
        lambda: output.print_table(["a"], [[FOREIGN]]),
        lambda: output.console().print(FOREIGN, markup=False),
        lambda: output.console(stderr=True).print("x", FOREIGN, markup=False),
        lambda: say_refused([Refused]),
        lambda: _end(FOREIGN, 1),
    ],
)
def test_foreign_words_say_nothing_to_the_terminal(capsys, show):
    show()
    said = capsys.readouterr()
    shown = said.out + said.err
    assert "a" in shown
    assert [code for code in OBEYED if code in shown] == []


def test_a_refusal_looks_like_no_other_line(capsys):
    say_refused([Refused])
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("refused: x refused: all is well")


def test_what_is_json_means_the_same(capsys):
    output.print_json({"detail": FOREIGN})
    assert json.loads(capsys.readouterr().out) == {"detail": FOREIGN}


def test_lines_of_our_own_stay_lines(capsys):
    output.say("two\nlines\tand é 漢 \U0001f469\u200d\U0001f4bb")
    assert capsys.readouterr().err == "two\nlines\tand é 漢 \U0001f469\u200d\U0001f4bb\n"
