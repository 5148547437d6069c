"""A set of tasks across languages as messages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from evaluator.adapters.messages import to_scope, to_spec
from evaluator.domain.board import BoardRow
from evaluator.domain.languages import Column, Languages, LanguagesRow
from evaluator.domain.results import Scope
from evaluator.domain.runs import Run
from touchstone.evaluator.v1 import evaluator_pb2 as pb


def to_languages(seen: Languages, scopes: Sequence[Scope], runs: Iterable[Run]) -> pb.GetLanguagesResponse:
    """Languages beside one another, with every scope that there is and a hash of what is said."""
    known = list(runs)
    answer = pb.GetLanguagesResponse(
        scope=to_scope(seen.scope, known),
        mode=seen.mode,
        columns=[_column(column) for column in seen.columns],
        rows=[_row(row) for row in seen.rows],
        wording=seen.wording,
        left_out=[_column(column) for column in seen.left_out],
    )
    answer.digest = hashlib.sha256(answer.SerializeToString(deterministic=True)).hexdigest()
    answer.scopes.extend(to_scope(scope, known) for scope in scopes)
    return answer


def _column(column: Column) -> pb.LanguageColumn:
    return pb.LanguageColumn(
        language=column.language,
        tasks=column.tasks,
        repositories=column.repositories,
        tasks_elsewhere=column.elsewhere,
    )


def _row(row: LanguagesRow) -> pb.LanguagesRow:
    spec = to_spec(row.run.spec)
    spec.language = ""
    together = row.together
    return pb.LanguagesRow(
        spec=spec,
        cells=[_cell(language, cell) for language, cell in sorted(row.cells.items())],
        whole=row.whole,
        together=pb.Interval(value=together.value, low=together.low, high=together.high) if together else None,
        solved=row.solved,
        questions=row.questions,
        least=row.least,
        most=row.most,
    )


def _cell(language: str, row: BoardRow) -> pb.LanguageCell:
    low, high = row.rank or (0, 0)
    return pb.LanguageCell(
        language=language,
        run_id=row.run.run_id,
        judged=row.judged_tasks,
        tasks=row.tasks,
        value=row.share.value,
        low=row.share.low,
        high=row.share.high,
        least=row.least,
        most=row.most,
        rank_low=low,
        rank_high=high,
    )
