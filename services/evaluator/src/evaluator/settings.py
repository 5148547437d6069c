"""The evaluator's settings, from the environment with the prefix `TOUCHSTONE_`."""

from __future__ import annotations

from pydantic import Field, field_validator

from evaluator.domain.cocost import Bounds, parse_variant, variant_text
from touchstone_runtime.settings import ServiceSettings


class EvaluatorSettings(ServiceSettings):
    """What the evaluator can be told."""

    evaluator_workers: int = Field(
        4, ge=1, description="Tasks solved side by side, at most one per partition; llm_concurrency limits the model"
    )
    evaluator_endpoint_patience_s: float = Field(
        180.0, gt=0, description="How long an endpoint that a run names may be away before the run ends, in seconds"
    )
    evaluator_batch_questions: int = Field(500, ge=1, description="Questions of one batch, at most")
    evaluator_batch_gather_s: float = Field(
        30.0, ge=0, description="How long a question waits for others to be asked with it in a batch, in seconds"
    )
    evaluator_solution_tokens: int = Field(1024, ge=16, description="Longest answer that may hold a program, tokens")
    evaluator_cocost_left_out: str = Field(
        "",
        description="Parts that the cocost strategy goes without, for ablations: no-plan, no-search, no-documents, "
        "no-inputs, no-output, no-error, no-serialise; separated by commas",
    )
    evaluator_cocost_searches: int = Field(1, ge=0, le=5, description="Searches for one task, before any error")
    evaluator_cocost_inputs: int = Field(3, ge=1, le=10, description="Calls that try a draft, at most")
    evaluator_cocost_rounds: int = Field(2, ge=0, le=10, description="Refinements of one draft, at most")

    evaluator_retrieval_every_s: float = Field(
        900.0, gt=0, description="Least seconds between two scores of one retriever on one set of labels"
    )
    evaluator_retrieval_queries: int = Field(
        500, ge=1, description="Queries of a set of labels by which a retriever is scored, at most"
    )
    evaluator_retrieval_augmented: bool = Field(
        False, description="Whether the augmented search is scored too, which asks the language model at each query"
    )

    @field_validator("evaluator_cocost_left_out")
    @classmethod
    def _known_parts(cls, value: str) -> str:
        return variant_text(parse_variant(value))

    def bounds(self) -> Bounds:
        """How much CoCoST may do for one task."""
        return Bounds(
            searches=self.evaluator_cocost_searches,
            inputs=self.evaluator_cocost_inputs,
            rounds=self.evaluator_cocost_rounds,
        )
