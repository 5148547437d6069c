"""Whether the board's statistics keep what they promise, by simulation; JSON lines.

`python tests/bench/board_statistics.py [--rounds 2000]`: coverage of 95 % intervals over repositories of unlike sizes
and alike tasks, beside the percentile bootstrap over repositories; the paired difference; false decisions of equal
models on a board of six; false decisions of the sequential comparison when it is looked at after every repository.
"""

from __future__ import annotations

import argparse
import json
import sys

import numpy as np

from evaluator.domain.clustered import difference_intervals, share_interval
from evaluator.domain.comparing_models import holm, mcnemar
from evaluator.domain.contamination import difference_of_shares
from evaluator.domain.difficulty import difficulties
from evaluator.domain.stopping import Decision, compare_until_decided


def repositories(draw, number: int, rate: float, alike: float, uneven: float):
    """Numbers of repositories a task, and each repository's own rate."""
    sizes = np.maximum(1, draw.lognormal(2.0, uneven, number)).astype(int)
    rates = draw.beta(rate * (1 - alike) / alike, (1 - rate) * (1 - alike) / alike, number)
    return np.repeat(np.arange(number), sizes), rates


def bootstrap(values, clusters, draw, rounds: int = 300) -> tuple[float, float]:
    """The percentile bootstrap over repositories, for comparison."""
    sums, sizes = np.bincount(clusters, weights=values), np.bincount(clusters)
    weights = draw.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), rounds)
    low, high = np.quantile((weights @ sums) / (weights @ sizes), [0.025, 0.975])
    return float(low), float(high)


def say(**line: object) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def coverage(draw, rounds: int) -> None:
    for number in (6, 12, 30, 100):
        for rate, alike, uneven in (
            (0.4, 0.05, 0.3),
            (0.4, 0.3, 0.3),
            (0.4, 0.3, 1.2),
            (0.1, 0.1, 0.8),
            (0.8, 0.1, 0.8),
        ):
            ours = theirs = difference = 0
            for _ in range(rounds):
                clusters, rates = repositories(draw, number, rate, alike, uneven)
                first = (draw.random(len(clusters)) < rates[clusters]).astype(float)
                second = (draw.random(len(clusters)) < rates[clusters]).astype(float)
                found = share_interval(first, clusters)
                ours += found.low <= rate <= found.high
                low, high = bootstrap(first, clusters, draw)
                theirs += low <= rate <= high
                (gap,), _ = difference_intervals(np.vstack([first, second]), clusters)
                difference += gap.low <= 0.0 <= gap.high
            say(
                what="coverage of 95 % intervals",
                repositories=number,
                rate=rate,
                intraclass=alike,
                unevenness=uneven,
                share=round(100 * ours / rounds, 1),
                percentile_bootstrap=round(100 * theirs / rounds, 1),
                paired_difference=round(100 * difference / rounds, 1),
                rounds=rounds,
            )


def gaps(draw, rounds: int) -> None:
    """Code before and after a cutoff, repositories on both sides: how often the interval holds the true difference."""
    for number, true in ((8, 0.0), (20, 0.0), (20, -0.2), (60, -0.2)):
        held = 0
        for _ in range(rounds):
            clusters, rates = repositories(draw, number, 0.5, 0.1, 0.8)
            new = draw.random(len(clusters)) < 0.4
            rate = np.clip(rates[clusters] + np.where(new, true / 2, -true / 2), 0.0, 1.0)
            values = (draw.random(len(clusters)) < rate).astype(float)
            if new.all() or not new.any():
                continue
            found = difference_of_shares(
                share_interval(values[new], clusters[new]), share_interval(values[~new], clusters[~new])
            )
            held += found.low <= float(rate[new].mean() - rate[~new].mean()) <= found.high
        say(
            what="coverage of the gap around a cutoff, %",
            repositories=number,
            gap=true,
            share=round(100 * held / rounds, 1),
            rounds=rounds,
        )


def families(draw, rounds: int) -> None:
    """Six equal models: how often a board decides any pair."""
    for alike in (0.05, 0.3):
        wrong = 0
        for _ in range(rounds):
            clusters, rates = repositories(draw, 30, 0.4, alike, 0.8)
            table = (draw.random((6, len(clusters))) < rates[clusters]).astype(float)
            _, p_values = difference_intervals(table, clusters)
            pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
            exact = [mcnemar(int((table[a] > table[b]).sum()), int((table[a] < table[b]).sum())) for a, b in pairs]
            wrong += min(holm([max(p, q) for p, q in zip(p_values, exact, strict=True)])) <= 0.05
        say(what="boards of six equal models with a decided pair, %", intraclass=alike, share=100 * wrong / rounds)


def stopping(draw, rounds: int) -> None:
    for gain in (0.0, 0.1, 0.2, 0.3):
        decided, looks = 0, []
        for _ in range(rounds):
            stream = []
            for _ in range(100):
                size, own = int(max(1, draw.lognormal(2.0, 0.8))), draw.beta(2, 3)
                # Each repository leans to one of the models, as likely to either where they are equal.
                lean = draw.normal(gain, 0.15)
                first = draw.binomial(size, min(1.0, max(0.0, own + lean / 2)))
                stream.append((float(first - draw.binomial(size, min(1.0, max(0.0, own - lean / 2)))), size))
            found = compare_until_decided(stream)
            decided += found.decision is not Decision.OPEN
            looks.append(found.looks)
        say(
            what="sequential comparison, decided within 100 repositories, %",
            gain=gain,
            decided=round(100 * decided / rounds, 1),
            median_repositories=float(np.median(looks)),
            rounds=rounds,
        )


def hardness(draw, rounds: int) -> None:
    """Tasks of known difficulty, met by few and many runs: how often the interval holds it."""
    for runs in (5, 20, 80):
        held, tasks = 0, 0
        for _ in range(max(1, rounds // 20)):
            ability, truth = draw.normal(0, 1.2, runs), draw.normal(0, 1.2, 100)
            chance = 1 / (1 + np.exp(truth[None, :] - ability[:, None]))
            passed = draw.random((runs, 100)) < chance
            found = difficulties(
                {f"r{row}": {f"t{at}": (1, int(passed[row, at])) for at in range(100)} for row in range(runs)}
            )
            truth = truth - ability.mean()
            held += sum(found[f"t{at}"].low <= truth[at] <= found[f"t{at}"].high for at in range(100))
            tasks += 100
        say(
            what="coverage of a task's measured difficulty, %",
            runs=runs,
            share=round(100 * held / tasks, 1),
            tasks=tasks,
        )


def main() -> None:
    """Simulate."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=2000)
    rounds = parser.parse_args().rounds
    draw = np.random.default_rng(20)
    stopping(draw, rounds)
    families(draw, rounds)
    gaps(draw, rounds)
    hardness(draw, rounds)
    coverage(draw, rounds)


if __name__ == "__main__":
    main()
