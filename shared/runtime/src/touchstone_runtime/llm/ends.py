"""How an answer ended, by the word that its endpoint has for it."""

from __future__ import annotations

import re
from enum import Enum, auto

# The words in use, in lower case; of Gemini, Cohere, Bedrock, watsonx, LM Studio and Zhipu as gateways pass them on.
_WHOLE = frozenset(
    {
        *("stop", "stopped", "stop_sequence", "stop_token", "stop_word", "eos", "eos_token", "eos_found", "end"),
        *("stop_string_found", "endoftext", "end_turn", "end_of_turn", "complete", "completed", "finish", "finished"),
        *("done", "normal"),
        *("tool_calls", "tool_call", "tool_use", "function_call", "malformed_function_call"),
    }
)
_CUT = frozenset(
    {
        *("length", "max_tokens", "max_length", "max_output_tokens", "max_completion_tokens", "model_length"),
        *("max_new_tokens", "max_predicted_tokens_reached", "context_length_reached", "token_limit"),
        "model_context_window_exceeded",
        # Its model went in circles, as servers that look for it say.
        *("repetition", "repetition_truncation"),
    }
)
_FILTERED = frozenset(
    {
        *("content_filter", "content_filtered", "safety", "recitation", "blocklist", "prohibited_content", "spii"),
        *("sensitive", "refusal", "guardrail_intervened", "error_toxic"),
    }
)


class End(Enum):
    """What became of an answer."""

    WHOLE = auto()
    # At the bound of its length.
    CUT = auto()
    # Its endpoint's rules ended it.
    FILTERED = auto()
    # Broken off, or by a word that nobody knows: what came may be half an answer.
    FAILED = auto()
    UNTOLD = auto()


def _letters(word: str) -> str:
    """A word however it is written: `maxTokens` is `MAX_TOKENS`."""
    return re.sub("[^a-z]", "", word.lower())


_ENDS = {
    _letters(word): end
    for words, end in ((_WHOLE, End.WHOLE), (_CUT, End.CUT), (_FILTERED, End.FILTERED))
    for word in words
}


def end_of(word: str | None) -> End:
    """Which end a word of an endpoint means.

    Example:
        >>> end_of("STOP"), end_of("content_filter: PROHIBITED_CONTENT"), end_of("insufficient_system_resource")
        (<End.WHOLE: 1>, <End.FILTERED: 3>, <End.FAILED: 4>)
    """
    plain = _letters((word or "").partition(":")[0])
    if plain in _ENDS:
        return _ENDS[plain]
    return End.UNTOLD if plain in {"", "null", "none"} else End.FAILED
