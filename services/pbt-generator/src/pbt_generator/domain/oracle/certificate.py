"""The oracle certificate: which programs went through the candidates' path, and what became of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

VERSION = 3
# A score over fewer mutants says little.
FLOOR = 10
# Share of the edges of its values that a suite must hold where its score says little.
_EDGES = 0.5

# Programs that answer wrongly on purpose. `{entry}` is the entry point, `{constant}` an expression for the most
# frequent result. Each must fail on every suite; that it does is checked, never assumed.
_WRONG: dict[str, str] = {
    "returns_nothing": "def {entry}(*args, **kwargs):\n    pass\n",
    "returns_constant": "def {entry}(*args, **kwargs):\n    return {constant}\n",
    "returns_argument": "def {entry}(*args, **kwargs):\n    return args[-1] if args else kwargs\n",
    "raises": "def {entry}(*args, **kwargs):\n    raise ValueError('no')\n",
    "always_equal": (
        "class Same:\n"
        "    def __eq__(self, other):\n        return True\n"
        "    def __ne__(self, other):\n        return False\n"
        "    def __hash__(self):\n        return 0\n"
        "    def __len__(self):\n        return 0\n"
        "    def __iter__(self):\n        return iter(())\n"
        "def {entry}(*args, **kwargs):\n    return Same()\n"
    ),
    "equal_subclass": (
        "class Text(str):\n"
        "    def __eq__(self, other):\n        return True\n"
        "    def __hash__(self):\n        return 0\n"
        "def {entry}(*args, **kwargs):\n    return Text('same')\n"
    ),
    "exits": "import sys\ndef {entry}(*args, **kwargs):\n    sys.exit(0)\n",
    "exits_at_once": "import os\ndef {entry}(*args, **kwargs):\n    os._exit(0)\n",
    "exits_while_loading": "import sys\nsys.exit(0)\ndef {entry}(*args, **kwargs):\n    return None\n",
    "prints": "def {entry}(*args, **kwargs):\n    print({constant!r})\n    print('passed')\n",
    "skips": (
        "import unittest\ndef {entry}(*args, **kwargs):\n    raise unittest.SkipTest('later')\n"
    ),
    "forges_frames": (
        "import json, os, struct\n"
        "def {entry}(*args, **kwargs):\n"
        "    for index in range(3):\n"
        "        for body in ('{{\"i\":%d,\"o\":\"returned\",\"v\":{literal}}}' % index, 'passed'):\n"
        "            data = body.encode()\n"
        "            for fd in range(1, 24):\n"
        "                for text in (struct.pack('>I', len(data)) + data, data + b'\\n'):\n"
        "                    try:\n                        os.write(fd, text)\n"
        "                    except OSError:\n                        pass\n"
        "    return None\n"
    ),
}  # fmt: skip


def wrong_programs(entry_point: str, constant: str, literal: str) -> dict[str, str]:
    """The programs that must fail, by name.

    Args:
        entry_point: What candidates define.
        constant: A Python expression for a frequent result, or "0" where there is none.
        literal: The same result as JSON text in the portable form.
    """
    quoted = literal.replace("\\", "\\\\").replace("'", "\\'").replace("%", "%%").replace("\n", "\\n")
    return {
        name: text.replace("{constant!r}", repr(constant))
        .replace("{entry}", entry_point)
        .replace("{constant}", constant)
        .replace("{literal}", quoted)
        .replace("{{", "{")
        .replace("}}", "}")
        for name, text in _WRONG.items()
    }


@dataclass(frozen=True)
class Trial:
    """One program that went through the candidates' path."""

    program: str
    language: str
    must_pass: bool
    verdict: str
    passed: int
    cases: int

    @property
    def as_it_should(self) -> bool:
        """Whether what must pass passed, and what must fail failed."""
        return (self.verdict == "passed") == self.must_pass


@dataclass(frozen=True)
class Coverage:
    """Where the branches of a ground truth stand: each is reached by a case, by a raising input, or proved dead.

    Attributes:
        branches: All branches.
        returning: Reached by cases of the suite.
        raising: Of those that lie on ways which only raise, reached by inputs kept in the certificate.
        dead: Reached by no input, by proof.
    """

    branches: int
    returning: int
    raising: int
    dead: int

    @property
    def share(self) -> float:
        """Share of the branches that stand in one of the three; 1.0 for a function without branches."""
        return (self.returning + self.raising + self.dead) / self.branches if self.branches else 1.0


@dataclass(frozen=True)
class MutationScore:
    """What the cases of a suite do to mutants of its ground truth.

    Attributes:
        mutants: All of them: `killed`, `proved` and `survivors` together.
        killed: Told from the ground truth by a case.
        proved: Proved to be the ground truth over again; these alone leave the score.
        survivors: Neither.
        evidence: Those of the survivors for which runs suggest that they make no difference; they count against the
            suite all the same.
    """

    mutants: int
    killed: int
    proved: tuple[str, ...]
    survivors: tuple[str, ...]
    evidence: tuple[str, ...]

    @property
    def score(self) -> float:
        """`killed / (mutants - proved)`; 0.0 where nothing was tried."""
        counted = self.mutants - len(self.proved)
        return self.killed / counted if counted else 0.0


@dataclass(frozen=True)
class Robustness:
    """What stands in the track of inputs that no caller should send: never a part of the suite or of its score.

    Attributes:
        suite_digest: Digest of the inputs that the ground truth answers, with its answers; empty where it answers none.
        cases: How many those are.
        refused: Inputs that it refuses with an error, each with the error's type.
    """

    suite_digest: str = ""
    cases: int = 0
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Traced:
    """What running the package's own tests showed of the function.

    Attributes:
        note: How the tests went, or why they were not run.
        calls: Different calls that were seen, with portable arguments.
        same: Cases with such arguments for which the ground truth, standing alone, gives what it gave there.
        other: Cases for which it gives something else: it read or kept what is not in its arguments.
        kinds: Per parameter the types that callers sent, with how often.
    """

    note: str = ""
    calls: int = 0
    same: int = 0
    other: int = 0
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Inputs:
    """Where the inputs of a suite come from.

    Attributes:
        real: Cases whose input callers send: seen while the source's tests ran, or written in them or in the words.
        near: Cases near such an input, argument for argument.
        inferred: The others.
        domain: What callers may send for every parameter: clauses with their source.
        robustness: What lies outside.
        traced: What running the source's own tests showed.
    """

    real: int = 0
    near: int = 0
    inferred: int = 0
    domain: dict[str, list[dict[str, str]]] = field(default_factory=dict[str, list[dict[str, str]]])
    robustness: Robustness = field(default_factory=Robustness)
    traced: Traced = field(default_factory=Traced)


@dataclass(frozen=True)
class Reading:
    """A mutant that follows another language's rule, or another reader's: evidence beside the score.

    Attributes:
        rule: The rule, for example "division" or "lengths".
        line: Where it applies.
        change: What became what.
        told_apart: Whether a case tells it from the ground truth, so that a solver has to know the rule.
    """

    rule: str
    line: int
    change: str
    told_apart: bool


@dataclass(frozen=True)
class MadeUpProgram:
    """A wrong program that a configured model made up: an input shows it wrong, and it is right on others.

    Attributes:
        words: What is wrong with it, in the model's words.
        code: The whole of it.
        told_apart: Whether a case tells it from the ground truth.
    """

    words: str
    code: str
    told_apart: bool


@dataclass(frozen=True)
class Mistakes:
    """Wrong programs of a model: evidence beside the score.

    Attributes:
        model: Who was asked; empty where nobody was.
        programs: Those that were shown wrong.
    """

    model: str = ""
    programs: tuple[MadeUpProgram, ...] = ()

    @property
    def told_apart(self) -> int:
        """How many of the programs a case tells from the ground truth."""
        return sum(each.told_apart for each in self.programs)


@dataclass(frozen=True)
class Weight:
    """What a mutation score rests on.

    Attributes:
        mutants: Mutants that count.
        floor: So many are enough by themselves.
        offered: Edges that values of the cases' kinds have: an empty text, a repeated item, a leap day.
        met: Those of them that cases hold.
        misread: Ways to take an argument for something else that were tried; none where the mutants are many.
        told_apart: Those of them that a case tells from the ground truth.
        refused: Inputs that raise, which show why an edge that the cases' kinds have is not among those offered.
    """

    mutants: int
    floor: int
    offered: tuple[str, ...]
    met: tuple[str, ...]
    misread: int = 0
    told_apart: int = 0
    refused: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the mutants suffice, or other wrong programs and the edges of the values make up for it."""
        told = self.mutants + self.told_apart >= self.floor or self.half_told
        return self.mutants >= self.floor or (told and len(self.met) >= _EDGES * len(self.offered))

    @property
    def half_told(self) -> bool:
        """Whether half of the misreadings are told apart; where values of no kind can be misread, none are."""
        return 0 < self.misread <= 2 * self.told_apart

    @property
    def words(self) -> str:
        """What it rests on and lacks, for people."""
        told = f"it rests on {self.mutants} mutants and {self.told_apart} of {self.misread} misreadings"
        lacking = ", ".join(sorted(set(self.offered) - set(self.met)))
        return f"{told}, and no case holds: {lacking}" if lacking else told

    @property
    def evidence(self) -> str:
        """What it rests on: "mutants", or "misreadings and edges" where those are too few."""
        return "mutants" if self.mutants >= self.floor else "misreadings and edges"


@dataclass(frozen=True)
class Certificate:
    """Everything that was shown of a suite.

    Attributes:
        inputs: Where the inputs of its cases come from.
        reads_map_order: The results hang on the order in which maps are read; inputs have them in ascending order of
            the keys, and the instruction says so.
        inputs_proposed_by: The model that was asked for inputs, where the search alone found too little.
        mistakes: Wrong programs that a model made up, and which of them a case tells apart.
        objects_as_maps: Parameters of which the function reads attributes: the ground truth reads entries of maps.
        untried: Trials that could not be made, each with the reason.
    """

    suite_digest: str
    builder: str
    trials: tuple[Trial, ...]
    languages: tuple[str, ...]
    coverage: Coverage
    raising_inputs: tuple[str, ...]
    unreachable: tuple[str, ...]
    goals: int
    goals_reached: int
    mutation: MutationScore
    weight: Weight
    readings: tuple[Reading, ...]
    score_first_25: float
    distinct_results: int
    largest_share: float
    seed: int
    reads_map_order: bool = False
    inputs_proposed_by: str = ""
    mistakes: Mistakes = field(default_factory=Mistakes)
    inputs: Inputs = field(default_factory=Inputs)
    objects_as_maps: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether every trial went as it should."""
        return all(trial.as_it_should for trial in self.trials)

    def to_dict(self) -> dict[str, Any]:
        """The certificate as data."""
        data: dict[str, Any] = {"version": VERSION, "holds": self.holds, **asdict(self)}
        data["coverage"]["share"] = round(self.coverage.share, 4)
        data["mutation"]["score"] = round(self.mutation.score, 4)
        data["weight"] |= {"holds": self.weight.holds, "evidence": self.weight.evidence}
        return data
