"""Literals that classes keep have mutants wherever an object of theirs reads them, whatever else has their names."""

from __future__ import annotations

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate, witnesses
from pbt_generator.ports import Harness

OF = "    def of(self, n):\n        return n // self.step + n\n"
CALL = "def f(n):\n    return Scale().of(n)\n"
COUNTED = "class Scale:\n    step = 42\n" + OF
DATA = "from dataclasses import dataclass\nfrom typing import ClassVar\n@dataclass(frozen=True, slots=True)\n"
SAID = [
    # Whatever a program says, passes or calls by the same name.
    COUNTED + "def f(n):\n    if n < 0: raise ValueError('no step to do')\n    return Scale().of(n)\n",
    COUNTED + "def g(step):\n    return step\ndef f(n):\n    return g(step=Scale().of(n))\n",
    COUNTED + "def f(n):\n    step = Scale().of(n)\n    return step\n",
    COUNTED + "class Other:\n    step = 7\n    def of(self):\n        return self.step\n"
    "def f(n):\n    return Scale().of(n) + Other().of()\n",
    COUNTED + "class Other:\n    def __init__(self, step):\n        self.step = step\n"
    "def f(n):\n    return Scale().of(n) + Other(n).step\n",
    COUNTED + "from dataclasses import dataclass\n@dataclass\nclass Other:\n    step: int\n"
    "def f(n):\n    return Scale().of(n) + Other(step=n).step\n",
    COUNTED + "def f(n):\n    scale = Scale()\n    setattr(scale, 'more', n)\n    return scale.of(n)\n",
    # Bases of the program, decorators that change no class.
    "class Base:\n" + OF + "class Scale(Base):\n    step = 42\n" + CALL,
    "class Base:\n    step = 42\nclass Scale(Base):\n" + OF + CALL,
    "class Base:\n    step = 42\nclass Mixed:\n" + OF + "class Scale(Mixed, Base):\n    pass\n" + CALL,
    "class Base:\n    step = 0\n" + OF + "class Scale(Base):\n    step = 42\n" + CALL,
    "class Scale(dict):\n    step = 42\n" + OF + CALL,
    DATA + "class Scale:\n    step: ClassVar[int] = 42\n    more: int = 1\n" + OF + CALL,
    DATA.split("@")[0] + "@dataclass\nclass Scale:\n    step = 42\n    more: int = 1\n" + OF + CALL,
    # One of two classes overrides it.
    COUNTED + "class Finer(Scale):\n    step = 7\ndef f(n):\n    return Scale().of(n) + 100 * Finer().of(n)\n",
    "class Base:\n    step = 7\n" + OF + "class Scale(Base):\n    step = 42\n"
    "def f(n):\n    return [each().of(n) for each in (Base, Scale)]\n",
    COUNTED.replace("self.step", "type(self).step") + "class Finer(Scale):\n    step = 7\n"
    "def f(n):\n    return Scale().of(n), Finer().of(n)\n",
    "class Scale:\n    step = 42\n    @classmethod\n    def of(cls, n):\n        return n // cls.step\n"
    "class Finer(Scale):\n    step = 7\ndef f(n):\n    return Scale.of(n), Finer.of(n), Finer.step, Scale.step\n",
]


def results(source: str, probes: str, mutant: int) -> list[object]:
    space: dict[str, object] = {"__name__": "__main__"}
    exec(compile(with_harness(source, "f", probes), "program", "exec"), space)
    space["_ts_M"] = mutant
    entry = space["f"]
    assert callable(entry)
    return [entry(given) for given in (0, 5, 41, 42, 100)]


@pytest.mark.parametrize("source", SAID)
def test_what_a_class_keeps_has_mutants_wherever_it_counts(source: str, harness: Harness) -> None:
    program = mutate(source, "f")
    kept = [each for each in program.mutants if each.operator == "module constant" and not each.proof]
    found = {each.change: each.number for each in kept}
    assert results(program.source, harness.mutate, 0) == results(source, "", 0)
    for near in ("43", "41"):
        expected = results(source.replace("42", near), "", 0)
        assert results(program.source, harness.mutate, found[f"step = {near}"]) == expected != results(source, "", 0)
    assert len(witnesses(source, "f").mutants) == len(program.mutants)


@pytest.mark.parametrize(
    "source",
    [
        # Something gives it another value.
        COUNTED + "def f(n):\n    scale = Scale()\n    scale.step = n\n    return scale.of(n)\n",
        COUNTED + "def f(n):\n    scale = Scale()\n    setattr(scale, 'step', n)\n    return scale.of(n)\n",
        COUNTED + "def f(n):\n    scale = Scale()\n    for name in ['step']: setattr(scale, name, n)\n"
        "    return scale.of(n)\n",
        COUNTED + "def f(n):\n    scale = Scale()\n    scale.__dict__.update(step=n)\n    return scale.of(n)\n",
        COUNTED + "    def __init__(self, n):\n        self.step = n\ndef f(n):\n    return Scale(n).of(n)\n",
        COUNTED + "def f(n):\n    return type('Finer', (Scale,), {'step': n})().of(n)\n",
        "class Scale:\n    step = 42\n    if True:\n        step = 7\n" + OF + CALL,
        # No object has it.
        "class Base:\n    step = 42\n" + OF + "class Scale(Base):\n    step = n = 7, 8\n" + CALL,
        "class Base:\n    step: int = 42\n" + OF + "class Scale(Base):\n    @property\n    def step(self):\n"
        "        return 3\ndef f(n: Base):\n    return Scale().of(n)\n",
        DATA + "class Base:\n    step: int\n" + OF + "class Scale(Base):\n    step = 42\n"
        "def f(n):\n    return Scale(n).of(n)\n",
        # What makes the class may make something else of it.
        "@made\n" + COUNTED + CALL,
        COUNTED.replace("Scale:", "Scale(Model):") + CALL,
    ],
)  # fmt: skip
def test_what_has_another_value_has_none(source: str) -> None:
    assert not [each for each in mutate(source, "f").mutants if each.operator == "module constant"]
