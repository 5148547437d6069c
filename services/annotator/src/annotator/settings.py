"""The annotator's settings, from the environment with the prefix `TOUCHSTONE_`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

from pydantic import Field

from annotator.domain.method import ABLATIONS, Method
from annotator.domain.pool_budget import PoolBudget
from touchstone_runtime.settings import ServiceSettings


class AnnotatorSettings(ServiceSettings):
    """What the annotator can be told."""

    annotator_method: Literal["single", "screener_arbiter", "generator", "executor", "simulated", "full"] = Field(
        "full", description="Which agents take part: the paper's ablations, `full` being all of them"
    )
    annotator_checker: bool = Field(True, description="Whether a second agent audits every record")
    annotator_separate: bool = Field(
        True, description="Whether plain functions are tested by data that is compared outside their own sandbox"
    )
    annotator_trusted: Literal["all", "non_matches", "none"] = Field(
        "all", description="Which clear verdicts of the screener are final; what is not goes the way of unclear pairs"
    )
    annotator_interpretations: int = Field(
        1, ge=1, le=5, description="Readings of a query that are tested separately, at most"
    )
    annotator_max_tries: int = Field(2, ge=0, le=10, description="Repairs of one test program, at most")
    annotator_max_commands: int = Field(
        2,
        ge=0,
        le=20,
        description="Commands by which the model may repair a test program in a sandbox, where rewriting did not help",
    )
    annotator_code_chars: int = Field(4000, ge=200, description="Code is shown to the model up to this length")
    annotator_report_chars: int = Field(
        1200, ge=200, description="Reports of executions are shown to the model up to this length"
    )
    annotator_workers: int = Field(2, ge=1, description="Proposed pairs judged side by side")
    annotator_case_timeout_s: float = Field(5.0, gt=0, description="Longest run of one test case, in seconds")
    annotator_program_timeout_s: float = Field(30.0, gt=0, description="Longest run of one test program, in seconds")
    annotator_memory_bytes: int = Field(512 * 1024 * 1024, gt=0, description="Memory of one test program")

    annotator_budget_pairs: int = Field(
        0, ge=0, description="Pairs that pools propose: so many are judged in a period at most; 0: no cap"
    )
    annotator_budget_tokens: int = Field(
        0, ge=0, description="Tokens that judging what pools propose may take in a period; 0: no cap"
    )
    annotator_budget_usd: float = Field(
        0.0, ge=0, description="US dollars that judging what pools propose may take in a period; 0: no cap"
    )
    annotator_budget_period: Literal["whole", "month", "week", "day"] = Field(
        "whole", description="Period of the budget for pools, in UTC; whole: one budget for all time"
    )

    annotator_calibration: Path | None = Field(
        None,
        description="File of a calibration, made by `tests/bench/annotation_score.py --write`; empty: no scores",
    )

    def pool_budget(self) -> PoolBudget:
        """What judging the pools' pairs may take."""
        return PoolBudget(
            self.annotator_budget_pairs,
            self.annotator_budget_tokens,
            self.annotator_budget_usd,
            self.annotator_budget_period,
        )

    def method(self) -> Method:
        """The method that these settings describe."""
        return replace(
            ABLATIONS[self.annotator_method],
            checker=self.annotator_checker,
            separate=self.annotator_separate,
            trusted=self.annotator_trusted,
            interpretations=self.annotator_interpretations,
            max_tries=self.annotator_max_tries,
            max_commands=self.annotator_max_commands,
            code_chars=self.annotator_code_chars,
            report_chars=self.annotator_report_chars,
        )
