"""Whether the board's statistics keep what they promise, by simulation; JSON lines.

`python tests/bench/board_statistics.py [--rounds 2000] [--seed 20] [--only coverage …]`: coverage of 95 % intervals
over repositories of unlike sizes and alike tasks, beside the percentile bootstrap over repositories; the paired
difference, beside exact McNemar; false decisions of equal models on a board of six; false decisions of the sequential
comparison when it is looked at after every repository.
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
from evaluator.domain.passing import pass_at_k
from evaluator.domain.stopping import Decision, Look, compare_until_decided


def repositories(draw, number: int, rate: float, alike: float, uneven: float):
    """Numbers of repositories a task, and each repository's own rate."""
    sizes = np.maximum(1, draw.lognormal(2.0, uneven, number)).astype(int)
    if not alike:
        return np.repeat(np.arange(number), sizes), np.full(number, rate)
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


# Share solved, likeness of a repository's tasks, unevenness of sizes, how far repositories lean to one of two models.
CELLS = (
    (0.4, 0.0, 0.3, 0.0), (0.4, 0.05, 0.3, 0.0), (0.4, 0.3, 0.3, 0.0), (0.4, 0.0, 1.2, 0.0), (0.4, 0.3, 1.2, 0.0),
    (0.4, 0.05, 0.3, 0.3), (0.4, 0.05, 1.2, 0.3), (0.5, 0.3, 0.8, 0.3), (0.1, 0.1, 0.8, 0.0), (0.1, 0.3, 1.2, 0.2),
    (0.8, 0.1, 0.8, 0.0), (0.05, 0.0, 0.3, 0.0), (0.05, 0.1, 0.8, 0.0), (0.05, 0.3, 1.2, 0.0), (0.95, 0.3, 0.8, 0.0),
)  # fmt: skip


def coverage(draw, rounds: int) -> None:
    for number in (6, 12, 30, 100):
        for rate, alike, uneven, lean in CELLS:

            def drawn(number=number, rate=rate, alike=alike, uneven=uneven, lean=lean):
                clusters, rates = repositories(draw, number, rate, alike, uneven)
                own = draw.normal(0.0, lean, number) if lean else 0.0
                return clusters, rates, *(np.clip(rates + side * own / 2, 0.0, 1.0) for side in (-1, 1))

            cell = {"repositories": number, "rate": rate, "intraclass": alike, "unevenness": uneven, "lean": lean}
            covered(draw, rounds, drawn, rate, cell)


def samples(draw, rounds: int) -> None:
    """Twenty answers a task, one task in ten never solved: how often intervals of pass@1 and pass@10 hold the truth."""
    for number in (6, 12, 30, 100):
        for k in (1, 10):
            table = np.array([pass_at_k(20, passed, k) for passed in range(21)])

            def drawn(number, table=table):
                rates = np.where(draw.random(number) < 0.1, 0.0, draw.uniform(0.3, 1.0, number))
                return table[draw.binomial(20, rates)]

            truth, held = float(drawn(1_000_000).mean()), 0
            for _ in range(rounds):
                found = share_interval(drawn(number), np.arange(number))
                held += found.low <= truth <= found.high
            cell = {"repositories": number, "k": k, "true": round(truth, 3), "rounds": rounds}
            say(what="coverage of pass@k, %", **cell, share=round(100 * held / rounds, 1))


def unlike(draw, rounds: int) -> None:
    """Repositories that no part of the method supposes: two kinds, one of half of all tasks, large ones harder."""

    def two_kinds(number):
        rates = np.where(draw.random(number) < 0.5, 0.15, 0.75)
        return np.maximum(1, draw.geometric(0.1, number)), rates, draw.choice([-0.15, 0.15], number)

    def one_of_half(number):
        sizes = np.append(np.full(number - 1, 6), 6 * (number - 1))
        return sizes, draw.beta(2.0, 4.0, number), draw.normal(0.0, 0.2, number)

    def large_and_hard(number):
        sizes = np.maximum(1, draw.lognormal(2.0, 1.0, number)).astype(int)
        return sizes, draw.beta(4.0, 4.0, number) / (1.0 + sizes / 20.0), draw.normal(0.0, 0.1, number)

    def even(number):
        return np.full(number, 25), draw.beta(1.5, 4.5, number), draw.normal(0.0, 0.1, number)

    for make in (two_kinds, one_of_half, large_and_hard, even):
        for number in (6, 8, 12, 20, 50):
            many = [make(number)[:2] for _ in range(20_000)]
            rate = sum(float((n * r).sum()) for n, r in many) / sum(int(n.sum()) for n, _ in many)

            def drawn(make=make, number=number):
                sizes, rates, own = make(number)
                sides = (np.clip(rates + side * own / 2, 0.0, 1.0) for side in (-1, 1))
                return np.repeat(np.arange(number), sizes), rates, *sides

            cell = {"repositories": number, "design": make.__name__, "rate": round(rate, 3)}
            covered(draw, rounds, drawn, rate, cell)


def covered(draw, rounds: int, drawn, rate: float, cell: dict[str, object]) -> None:
    """How often intervals hold the truth; where what is rare was never drawn, no fair one can leave it out."""
    held = dict.fromkeys(("share", "percentile_bootstrap", "paired_difference", "exact_mcnemar", "without_any"), 0)
    for _ in range(rounds):
        clusters, rates, *sides = drawn()
        values = (draw.random(len(clusters)) < rates[clusters]).astype(float)
        found = share_interval(values, clusters)
        held["share"] += found.low <= rate <= found.high
        held["without_any"] += float(values.mean()) in (0.0, 1.0)
        low, high = bootstrap(values, clusters, draw)
        held["percentile_bootstrap"] += low <= rate <= high
        first, second = ((draw.random(len(clusters)) < side[clusters]).astype(float) for side in sides)
        (gap,), _ = difference_intervals(np.vstack([first, second]), clusters)
        held["paired_difference"] += gap.low <= 0.0 <= gap.high
        held["exact_mcnemar"] += mcnemar(int((first > second).sum()), int((first < second).sum())) > 0.05
    shares = {name: round(100 * count / rounds, 1) for name, count in held.items()}
    say(what="coverage of 95 % intervals, %", **cell, **shares, rounds=rounds)


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
    # Six repositories, twelve and more; models that differ by chance alone, and such as each repository leans to.
    for number, alike, uneven, lean in (
        (6, 0.0, 0.8, 0.0), (6, 0.3, 0.8, 0.3), (12, 0.3, 0.8, 0.3), (12, 0.3, 1.2, 0.3), (30, 0.05, 0.8, 0.0),
        (30, 0.3, 0.8, 0.0), (30, 0.3, 1.2, 0.3),
    ):  # fmt: skip
        wrong = 0
        for _ in range(rounds):
            clusters, rates = repositories(draw, number, 0.4, alike, uneven)
            own = np.clip(rates + draw.normal(0.0, lean / 2**0.5, (6, number)), 0.0, 1.0)
            table = (draw.random((6, len(clusters))) < own[:, clusters]).astype(float)
            _, p_values = difference_intervals(table, clusters)
            pairs = [(a, b) for a in range(6) for b in range(a + 1, 6)]
            exact = [mcnemar(int((table[a] > table[b]).sum()), int((table[a] < table[b]).sum())) for a, b in pairs]
            wrong += min(holm([max(p, q) for p, q in zip(p_values, exact, strict=True)])) <= 0.05
        cell = {"repositories": number, "intraclass": alike, "unevenness": uneven, "lean": lean}
        share = round(100 * wrong / rounds, 1)
        say(what="boards of six equal models with a decided pair, %", **cell, share=share, rounds=rounds)


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
                stream.append(Look(float(first - draw.binomial(size, min(1.0, max(0.0, own - lean / 2)))), size))
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
    parser.add_argument("--seed", type=int, default=20)
    parts = {each.__name__: each for each in (stopping, families, gaps, hardness, coverage, samples, unlike)}
    parser.add_argument("--only", nargs="+", choices=parts, default=list(parts))
    chosen = parser.parse_args()
    for name in chosen.only:
        # Each part draws of its own, so that one of them alone says what it says among the others.
        parts[name](np.random.default_rng(chosen.seed), chosen.rounds)


if __name__ == "__main__":
    main()
