"""`touchstone retrieval`: how well a search engine finds what is labelled."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.offline import answer_of
from touchstone_cli.output import counted, print_json, print_table, say, warn
from touchstone_cli.release_files import write_export
from touchstone_cli.services import connect
from touchstone_runtime.query_sets import run_files

_LONG_S = 24 * 3600.0
# So many different ones are told.
_REASONS = 3
_UNRANKED = "nothing was ranked"

app = typer.Typer(
    no_args_is_help=True,
    help="How well a search engine finds what is labelled.",
    epilog="Example: touchstone retrieval evaluate --beir cosqa --split dev --run mine.run",
)

_COLUMNS = {
    "NDCG@10": "ndcg_at_10",
    "MRR": "mrr",
    "Recall@10": "recall_at_10",
    "MAP@10 of R": "map_at_10_of_all",
    "MAP@10 of min(10, R)": "map_at_10_of_reachable",
    "Success@1": "success_at_1",
    "Success@10": "success_at_10",
}


@app.callback(epilog="Example: touchstone retrieval evaluate --beir cosqa --split dev --run mine.run")
def root() -> None:
    """How well a search engine finds what is labelled."""


Beir = Annotated[Path | None, typer.Option(help="Folder in BEIR form: corpus, queries, qrels.", show_default=False)]
OfRelease = Annotated[str, typer.Option("--release", metavar="NAME", help="A release of labels, instead of a folder.")]
Split = Annotated[str, typer.Option(help="Which qrels.")]
Force = Annotated[bool, typer.Option("--force", help="Replace files that are there.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def evaluate(
    beir: Beir = None,
    release: OfRelease = "",
    split: Split = "test",
    retriever: Annotated[
        list[str] | None, typer.Option(help="plain, bm25, ensemble, augmented, or a model; repeatable.")
    ] = None,
    run: Annotated[list[Path] | None, typer.Option(help="A run in TREC form; may be given several times.")] = None,
    baseline: Annotated[str, typer.Option(help="The retriever or run that gains are over.")] = "",
    write_run: Annotated[Path | None, typer.Option(help="Folder for the runs of the retrievers.")] = None,
    judge: Annotated[int, typer.Option(min=0, help="Have so many unjudged pairs of the top ten judged.")] = 0,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Score search engines against labels.

    Example: touchstone retrieval evaluate --beir cosqa --split dev --retriever plain --run mine.run --baseline bm25
    """
    with _query_set(beir, release) as (folder, spare):
        names = list(dict.fromkeys(retriever or ()))
        of_baseline = [baseline] if baseline and not Path(baseline).is_file() else []
        asked = [*names, *(name for name in of_baseline if name not in names)]
        read = [*(run or ()), *([] if of_baseline or not baseline else [Path(baseline)])]
        with _kept(asked, spare, write_run, read, force=force):
            ranked = _ranked(folder, split, asked, spare)
        scored = [*(ranked[name]["file"] for name in names), *(str(path) for path in run or ())]
        base = ranked[baseline]["file"] if of_baseline else baseline
        results = _scored(folder, split, scored, base, judge)
        for name in names:
            of_run = next(one for one in results if one["run"] == ranked[name]["file"])
            many = max(ranked[name]["queries"], 1)
            took = {f"{what}_per_query": ranked[name][what] / many for what in ("seconds", "tokens")}
            undone = ranked[name]["incomplete"]
            of_run |= {"run": name, "models": ranked[name]["models"], **took}
            of_run |= {"incomplete": len(undone), "incomplete_why": _reasons(undone)}
    for name, of_name in ranked.items():
        if of_name["models"] not in ([], [name]):
            say(f"{name}: ranked by {' and '.join(of_name['models'])}")
        if undone := of_name["incomplete"]:
            many = f"{len(undone)} of {counted(of_name['queries'], 'query', 'queries')}"
            warn(f"{name}: {many} without all steps: {'; '.join(_reasons(undone))}")
    if as_json:
        print_json(results)
        return
    rows = [[one["run"], one["queries"], *(_cell(one, field) for field in _COLUMNS.values())] for one in results]
    print_table(("run", "queries", *_COLUMNS), rows, right=("queries", *_COLUMNS))
    for one in results:
        for line in _resting(one):
            say(line)


@app.command()
def fit(
    beir: Beir = None,
    release: OfRelease = "",
    split: Annotated[str, typer.Option(help="Which qrels; dev, or of a release test.", show_default=False)] = "",
    out: Annotated[Path, typer.Option(help="File for the weights; written only where they hold.")] = Path(
        "weights.toml"
    ),
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Fit the weights of the ranking, and keep them if they hold on queries that the fit has not seen.

    Each query is ranked by weights that were fitted on the other four fifths. The weights hold where NDCG@10 is surely
    above that of the best model alone, and not below that of weights that nobody fitted. Exit code 1
    where they do not.

    Example: touchstone retrieval fit --beir cosqa --split dev --out weights.toml
    """
    _demand_free(out, force=force)
    if not out.parent.is_dir() or out.is_dir():
        raise CliError(f"{out}: cannot be written: name a file in a folder that is there", exit_code=2)
    with _query_set(beir, release) as (folder, spare):
        split = split or ("test" if release else "dev")
        fitted = answer_of(
            "retriever", "fit", "--beir", str(folder), "--split", split, "--out", str(spare), fault=_UNRANKED
        )
        runs = fitted["runs"]
        # Of models in another order another one would be the first, and the bar lower for no reason.
        of_models = _scored(folder, split, list(fitted["alone"].values()), "", 0)
        bar = max(of_models, key=lambda one: one["ndcg_at_10"])["run"]
        best = next(model for model, run in fitted["alone"].items() if run == bar)
        (over_alone,) = _scored(folder, split, [runs["fitted"]], bar, 0)
        (over_unfitted,) = _scored(folder, split, [runs["fitted"]], runs["unfitted"], 0)
    gains = {"alone": over_alone["ndcg_at_10_gain"], "unfitted": over_unfitted["ndcg_at_10_gain"]}
    hold = holds(gains["alone"], gains["unfitted"])
    if hold:
        _write(out, fitted["file"])
    if as_json:
        found = {"queries": fitted["queries"], "weights": fitted["weights"], "holds": hold, "best": best}
        print_json(found | {"ndcg_at_10": over_alone["ndcg_at_10"], "gains": gains, "out": str(out) if hold else ""})
    else:
        print(fitted["file"].strip())
        queries = counted(fitted["queries"], "query", "queries")
        print(f"NDCG@10 on unseen queries {over_alone['ndcg_at_10']:.4f}, {queries}")
        for over, words in (("alone", f"{best}, the best model alone"), ("unfitted", "weights that nobody fitted")):
            print("gain over {}: {:+.4f} ({:+.4f} to {:+.4f})".format(words, *gains[over]))
        say(
            f"They hold: {out} has them; TOUCHSTONE_SEARCH_WEIGHTS_FILE={out} puts them in force."
            if hold
            else "They do not hold on queries that they have not seen, so nothing was written."
        )
    if not hold:
        raise typer.Exit(1)


def _write(file: Path, text: str) -> None:
    try:
        file.write_text(text, "utf-8")
    except OSError as error:
        raise CliError(f"{file}: cannot be written: {error.strerror or error}") from error


def holds(over_alone: Sequence[float], over_unfitted: Sequence[float]) -> bool:
    """Whether fitted weights may be used: surely better than one model alone, and not worse than weights nobody fitted.

    Args:
        over_alone: Mean gain on unseen queries over the best model, with the ends of its interval.
        over_unfitted: The same over weights that nobody fitted.
    """
    return over_alone[1] > 0 and over_unfitted[0] >= 0


@contextmanager
def _query_set(beir: Path | None, release: str) -> Iterator[tuple[Path, Path]]:
    """The folder of a query set, and a folder for what nobody keeps."""
    if (beir is None) == (not release):
        raise CliError("name a folder with --beir or a release with --release, one of the two", exit_code=2)
    with tempfile.TemporaryDirectory() as made:
        if beir is None:
            beir = Path(made) / "release"
            annotator = connect("annotator")
            request = annotator.messages.ExportReleaseRequest(name=release, format="beir")
            write_export(beir, annotator.stream("ExportRelease", request, timeout_s=_LONG_S), force=False)
        yield beir, Path(made) / "runs"


@contextmanager
def _kept(names: Sequence[str], spare: Path, out: Path | None, read: Sequence[Path], *, force: bool) -> Iterator[None]:
    """Keep the runs that are made meanwhile in a folder, where one is named; those of retrievers before a fault too.

    Args:
        names: Of the retrievers.
        spare: Where their runs are made.
        out: Where they are kept.
        read: Runs that are scored beside them, none of which is replaced.
        force: Whether others are.
    """
    targets = run_files(out, names) if out else {}
    for target in targets.values():
        for one in read:
            if target.exists() and one.exists() and target.samefile(one):
                raise CliError(f"{one}: is to be scored and would be replaced: name another --write-run", exit_code=2)
        _demand_free(target, force=force)
    try:
        if out and targets:
            out.mkdir(parents=True, exist_ok=True)
        try:
            yield
        finally:
            for name, made in run_files(spare, names).items():
                if name in targets and made.exists():
                    shutil.copyfile(made, targets[name])
    except OSError as error:
        raise CliError(f"{error.filename or out}: cannot be written: {error.strerror or error}") from error


def _demand_free(file: Path, *, force: bool) -> None:
    if file.exists() and not force:
        raise CliError(f"{file}: is there already: name another, or --force to replace it", exit_code=2)


def _ranked(folder: Path, split: str, names: Sequence[str], out: Path) -> dict[str, dict[str, Any]]:
    """File and seconds of each retriever's run."""
    if not names:
        return {}
    asked = [part for name in names for part in ("--retriever", name)]
    found = answer_of(
        "retriever", "rank", "--beir", str(folder), "--split", split, "--out", str(out), *asked, fault=_UNRANKED
    )
    return {one["retriever"]: one for one in found}


def _scored(folder: Path, split: str, runs: Sequence[str], baseline: str, judge: int) -> list[dict[str, Any]]:
    command = ["retrieval", "--beir", str(folder), "--split", split]
    command += [part for run in runs for part in ("--run", run)]
    command += ["--baseline", baseline] if baseline else []
    command += ["--judge", str(judge)] if judge else []
    return answer_of("evaluator", *command, fault="the runs were not scored")


def _reasons(undone: Mapping[str, str]) -> list[str]:
    """The first reasons why queries were answered in part."""
    return list(dict.fromkeys(undone.values()))[:_REASONS]


def _resting(result: dict[str, Any]) -> list[str]:
    """What of a result rests on labels that its query set does not have, and what nobody judged."""
    lines: list[str] = []
    if new := result.get("new_labels"):
        held = ", ".join(f"{new[outcome]} {outcome}" for outcome in ("yes", "no", "undecided"))
        named = {field: column for column, field in _COLUMNS.items()}
        changed = [
            f"{named[field]} ({result['before'][field]:.4f} without)"
            for field in result["rests_on_new_labels"]
            if field in named
        ]
        lines.append(
            f"{result['run']}: new labels: {held}, {new['judged_now']} judged now; "
            f"resting on them: {', '.join(changed) or 'no figure'}"
        )
    if result.get("unjudged_at_10"):
        pairs = counted(result["unjudged_at_10"], "pair")
        lines.append(f"{result['run']}: {pairs} of the first ten places without a label, counted as wrong")
    return lines


def _cell(result: dict[str, Any], field: str) -> str:
    gain = result.get(f"{field}_gain")
    return f"{result[field]:.4f}" + (f" ({gain[0]:+.4f}, {gain[1]:+.4f} to {gain[2]:+.4f})" if gain else "")
