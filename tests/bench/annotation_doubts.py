"""How many labels become undecided because the judge is asked again; one JSON object a line.

    python tests/bench/annotation_doubts.py --pairs 299 --method full --method single
    python tests/bench/annotation_doubts.py --simulated

The first judges pairs that people labelled with the model that the settings name (TOUCHSTONE_LLM_BASE_URL,
TOUCHSTONE_LLM_MODEL), and tells of every label that a model's word gave, or would have given, whether the word was
right. Answers are kept in the cache folder: a second run asks nothing again.

The second is a SIMULATION and measures no model: a made-up judge who is honest but not perfect judges the hand-written
pairs of `annotation_languages.json` by the annotator's own protocol. Accuracy: how often its word on a pair is right.
Consistency: how often its word on the code without words is the same. It wavers on right and wrong words alike, or on
wrong ones first; a real judge is somewhere between. Control: how often it is right where the protocol knows the answer.
Nothing runs, so that no test saves a label: where tests decide, nobody's word is asked for.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import annotation_accuracy as shared
import grpc

from annotator.adapters.model import RuntimeModel
from annotator.adapters.sandbox import SandboxLimits
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.domain.record import Record
from annotator.domain.statistics import clopper_pearson
from annotator.domain.wordless import wordless
from annotator.ports import Asked
from annotator.settings import AnnotatorSettings
from annotator.usecases.agents import VERDICTS
from annotator.usecases.doubts import OF_CODE, OF_QUERY
from annotator.usecases.judging import Judge
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.llm import LlmClient, MemoryLedger

HAND_WRITTEN = Path(__file__).with_name("annotation_languages.json")
# The whole method where nothing can be run: the screener's word, asked again as every word is.
METHOD = "screener_arbiter"
ACCURACIES, CONSISTENCIES = (0.8, 0.9, 0.95), (0.8, 0.9, 0.95)
WAVERS = ("alike", "wrong first")
# By these words the protocol's own questions are known; a test holds them against it.
OTHER_CODE, OTHER_WISH, NO_WORDS = "number + 7", "twice a number plus seven", "stand for the author's own"
AGAIN = ("again", "control")


@dataclass(frozen=True)
class Character:
    """What a made-up judge is like; each is a probability but `wavers`, one of `WAVERS`."""

    accuracy: float
    consistency: float
    control: float
    wavers: str

    def same_again(self, right: bool) -> float:
        """How probably a word is the same without the author's words."""
        changed = 1 - self.consistency
        if self.wavers == "alike":
            return 1 - changed
        of_wrong = min(1.0, changed / (1 - self.accuracy)) if self.accuracy < 1 else 0.0
        of_right = (changed - of_wrong * (1 - self.accuracy)) / self.accuracy
        return 1 - (of_right if right else of_wrong)


class HonestJudge:
    """Says what it believes of one pair, and listens to nobody.

    Args:
        pair: Which one.
        truth: The pair's label.
        character: What it is like.
        seed: Drawn from, with what is asked: the same question has the same answer.
    """

    def __init__(self, pair: Pair, truth: int, character: Character, seed: str) -> None:
        self._pair = pair
        self._truth = truth
        self._character = character
        self._seed = seed

    def signature(self) -> str:
        """No model."""
        return "simulated"

    async def ask(self, prompt: str, form: type[Any], *, max_tokens: int, **values: str) -> Asked[Any]:
        """A verdict in the asked form."""
        label = self.word(values["query"], values["code"])
        answer = {"reason": "", "label": label, "verdict": ("no_match", "match")[label]}
        return Asked(form.model_validate({name: answer[name] for name in form.model_fields}), "", prompt, ())

    async def weigh(self, *_: Any, **__: Any) -> Any:
        """Never reached: nothing is scored here."""
        raise NotImplementedError

    def word(self, query: str, code: str) -> int:
        """1 where it takes the code for an answer."""
        other, wish = OTHER_CODE in code, query.startswith(OTHER_WISH)
        if other or wish:
            return int(other and wish) ^ (not self._happens(self._character.control, query, code))
        right = self._happens(self._character.accuracy, "own", self._pair.pair_id)
        own = self._truth if right else 1 - self._truth
        again = self._character.same_again(right)
        return own if NO_WORDS not in code or self._happens(again, "again", self._pair.pair_id) else 1 - own

    def _happens(self, probability: float, *what: str) -> bool:
        digest = hashlib.sha256("\0".join((self._seed, *what)).encode()).digest()
        return int.from_bytes(digest[:8], "big") < probability * 2**64


def word_of(record: Record) -> int | None:
    """The last word of a model on the pair as it is; None where there is none."""
    for step in reversed(record.steps):
        if step.name in ("single", "arbiter", "screener"):
            return VERDICTS.get(step.outcome, int(step.outcome) if step.outcome in ("0", "1") else None)
    return None


def lost_to(record: Record) -> str:
    """Which question cost a word its label: "words", "query", or none.

    A yes against tests that failed is undecided whatever is asked again.
    """
    word = word_of(record)
    if record.label is not None or word is None or (word == 1 and record.evidence == "failed"):
        return ""
    return "words" if OF_CODE in record.reason else ("query" if OF_QUERY in record.reason else "")


def told(records: Sequence[Record], truths: Sequence[int]) -> dict[str, Any]:
    """What stands, what was lost by asking again, and how right both are."""
    both = list(zip(records, truths, strict=True))
    decided = [record.label == truth for record, truth in both if record.label is not None]
    lost = [(lost_to(record), word_of(record) == truth) for record, truth in both if lost_to(record)]
    questions = sum(step.name in AGAIN for record in records for step in record.steps)
    return {
        "pairs": len(records),
        "decided": len(decided),
        "right_of_decided": _share(decided),
        "lost": len(lost),
        "lost_share_of_all": _share([bool(lost_to(record)) for record in records]),
        "lost_to_code_without_words": sum(why == "words" for why, _ in lost),
        "lost_to_the_query": sum(why == "query" for why, _ in lost),
        "lost_and_right": sum(right for _, right in lost),
        "lost_and_wrong": sum(not right for _, right in lost),
        "right_without_asking_again": _share([*decided, *(right for _, right in lost)]),
        "questions_more_per_pair": round(questions / max(1, len(records)), 3),
    }


def _share(found: Sequence[bool]) -> dict[str, float] | None:
    if not found:
        return None
    return {name: round(value, 4) for name, value in asdict(clopper_pearson(sum(found), len(found))).items()}


def hand_written() -> list[tuple[Pair, int]]:
    """Pairs whose label is known."""
    data = json.loads(HAND_WRITTEN.read_text("utf-8"))
    return [
        (
            Pair(f"{language}-{task}-{name}", task, data["tasks"][task]["query"], "", text, language),
            int(name == "right"),
        )
        for language, codes in sorted(data["codes"].items())
        for task, both in sorted(codes.items())
        for name, text in sorted(both.items())
    ]


async def simulate(character: Character, rounds: int) -> dict[str, Any]:
    """One line of the simulation, beside what arithmetic expects."""
    pairs = hand_written()
    method = replace(ABLATIONS[METHOD], checker=False)
    records = [
        await Judge(HonestJudge(pair, truth, character, str(number)), shared.NoSandbox(), method).judge(pair)
        for number in range(rounds)
        for pair, truth in pairs
    ]
    spoke = sum(wordless(pair.code, pair.language).spoke for pair, _ in pairs) / len(pairs)
    expected = (1 - spoke * (1 - character.consistency)) * character.control
    return {
        "bench": "annotation_doubts",
        "SIMULATION": "a made-up judge; no model was asked",
        "method": METHOD,
        **asdict(character),
        "decided_share": round(sum(record.label is not None for record in records) / len(records), 4),
        "expected_decided_share": round(expected, 4),
        **told(records, [truth for _ in range(rounds) for _, truth in pairs]),
    }


async def simulated(rounds: int, control: float) -> None:
    """The table: JSON lines, and the same for people on standard error."""
    sys.stderr.write(f"SIMULATION of an honest judge, right in {control:.0%} of controls; no model, nothing ran\n")
    sys.stderr.write("accuracy consistency wavers       decided  right of them  right lost  wrong dropped  (of all)\n")
    for accuracy in ACCURACIES:
        for consistency in CONSISTENCIES:
            for wavers in WAVERS:
                line = await simulate(Character(accuracy, consistency, control, wavers), rounds)
                print(json.dumps(line), flush=True)
                right = line["right_of_decided"]["estimate"]
                lost, dropped = (line[f"lost_and_{word}"] / line["pairs"] for word in ("right", "wrong"))
                sys.stderr.write(
                    f"{accuracy:8.2f} {consistency:11.2f} {wavers:11} {line['decided_share']:8.1%} {right:14.1%} "
                    f"{lost:11.1%} {dropped:14.1%}\n"
                )


async def measure(arguments: argparse.Namespace) -> int:
    """Ask the model that the settings name."""
    settings = AnnotatorSettings()  # pyright: ignore[reportCallIssue]
    pairs = shared.read(arguments.data, arguments.pairs)
    client = LlmClient.from_settings(settings, MemoryLedger())
    model = RuntimeModel(client, arguments.model)
    try:
        for name in arguments.method or ["full"]:
            method, started = replace(ABLATIONS[name], checker=False), time.monotonic()
            if method.executor == "sandbox":
                async with shared.sandbox_at(arguments.sandbox, SandboxLimits()) as sandbox:
                    records = await shared.measure(Judge(model, sandbox, method), pairs, arguments.workers)
            else:
                records = await shared.measure(Judge(model, shared.NoSandbox(), method), pairs, arguments.workers)
            sys.stderr.write("\n")
            about = {"bench": "annotation_doubts", "model": model.signature().split("|")[0], "method": name}
            wall = {"wall_s": round(time.monotonic() - started, 1)}
            print(json.dumps({**about, **told(records, [one.label for one in pairs]), **wall}), flush=True)
    except (TouchstoneError, grpc.aio.AioRpcError, TimeoutError) as error:
        sys.stderr.write(f"\n{type(error).__name__}: {error}\n")
        return 1
    finally:
        await client.close()
    return 0


async def main() -> int:
    """Run the bench."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--simulated", action="store_true", help="a made-up judge instead of a model")
    parser.add_argument("--rounds", type=int, default=10, help="how often the made-up judge is drawn")
    parser.add_argument("--control", type=float, default=0.95, help="how often it is right where the answer is known")
    parser.add_argument("--data", type=Path, default=shared.PAIRS, help="JSON lines of id, query, code, label")
    parser.add_argument("--pairs", type=int, default=299, help="how many")
    parser.add_argument("--method", action="append", choices=sorted(ABLATIONS), help="again for several; default: full")
    parser.add_argument("--model", default="", help="name in models.toml, or name@http://host:port/v1")
    parser.add_argument("--sandbox", default="", help="address of a sandbox-executor; one is started when left out")
    parser.add_argument("--workers", type=int, default=2, help="pairs side by side")
    arguments = parser.parse_args()
    if arguments.simulated:
        await simulated(arguments.rounds, arguments.control)
        return 0
    if not arguments.data.is_file():
        sys.stderr.write(f"{arguments.data}: no labelled pairs there; name a file with --data\n")
        return 0
    return await measure(arguments)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
