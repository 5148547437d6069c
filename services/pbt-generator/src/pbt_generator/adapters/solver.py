"""Models that solve tasks, through the platform's one client."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, Field

from touchstone_runtime.extraction import extract, parse
from touchstone_runtime.llm import BadAnswerError, LlmClient, RequestRefusedError, ask_json, load_prompt

_TOKENS = 2500
# Independent solutions need some chance in them.
_TEMPERATURE = 0.8


class SolutionForm(BaseModel):
    """The answer with a program."""

    code: str = Field(min_length=1, max_length=40_000)


class LlmSolver:
    """Implements the `Solver` port.

    Args:
        client: Gives the client; its cache makes a replay free and the same.
    """

    def __init__(self, client: Callable[[], LlmClient]) -> None:
        self._client = client
        self._prompt = load_prompt("pbt_generator", "solution_v1")

    def check(self, model: str) -> None:
        """Prove that a model is known; see `Solver`."""
        self._client().endpoint(model)

    async def solve(self, model: str, entry_point: str, instruction: str, signature: str, number: int) -> str:
        """A program, or nothing where no answer fits the form; see `Solver`."""
        messages = self._prompt.messages(entry_point=entry_point, instruction=instruction, signature=signature)
        try:
            reply = await ask_json(
                self._client(), messages, SolutionForm, purpose="pbt_generator.trial", max_tokens=_TOKENS, model=model,
                temperature=_TEMPERATURE, seed=number,
            )  # fmt: skip
        except (BadAnswerError, RequestRefusedError):
            return ""
        return program_in(reply.value.code, entry_point)


def program_in(said: str, entry_point: str) -> str:
    """The program of an answer, out of the fences and words that a model may put around it; else what was said.

    Args:
        said: What stands where a program was asked for.
        entry_point: The function that it is to define.
    """
    return said if parse(said) is not None else extract(said, entry_point).code or said
