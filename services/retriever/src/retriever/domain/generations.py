"""Generations of the index: which models made the vectors, from which text, and what the parts of the ranking count.

Vectors lie in spaces: one model's, by the digest of its weights, in one text form. A generation names the spaces that
its questions meet and the weights of its ranking; generations may share spaces. Vectors of different spaces are never
compared, as every vector, of a code or of a question, bears the key of its space.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from retriever.domain.ensemble import Weights, weights_for

State = Literal["building", "whole", "dropped"]
# What was indexed before there were generations.
TAKEN_OVER = "taken-over"


@dataclass(frozen=True)
class Space:
    """The vectors of one model in one text form.

    Args:
        key: What indexes keep the vectors under.
        model: The model's name.
        identity: Name and digest of its weights, the same on every device; empty where it is not known yet.
    """

    key: str
    model: str
    identity: str


@dataclass(frozen=True)
class Later:
    """How far the embedder is with the models whose vectors come behind all other work.

    Args:
        models: Their names.
        done: Functions that have the vectors of all models.
        total: Functions that are embedded.
        left_s: Seconds that what is left takes where nothing comes between; -1 where it is not known yet.
        rests: Nothing new came for some time.
        caught_up: It rests, and all that is embedded has all vectors.
    """

    models: frozenset[str]
    done: int = 0
    total: int = 0
    left_s: float = -1.0
    rests: bool = False
    caught_up: bool = False


@dataclass(frozen=True)
class Described:
    """What the embedder makes now.

    Args:
        models: Name and identity of each model.
        text_form: The way in which code becomes the models' text.
        later: Those that come later, where there are such.
        missing: Models that it is told to use and goes on without, and why.
    """

    models: tuple[tuple[str, str], ...]
    text_form: str
    later: Later | None = None
    missing: tuple[tuple[str, str], ...] = ()

    @property
    def at_once(self) -> Described:
        """What it makes of a function as it comes."""
        if self.later is None:
            return self
        return replace(self, models=tuple(one for one in self.models if one[0] not in self.later.models), later=None)


@dataclass(frozen=True)
class Generation:
    """Models by digest, text form and weights, under a name."""

    name: str
    spaces: tuple[Space, ...]
    text_form: str
    weights: Weights = field(default_factory=Weights)
    state: State = "building"
    made_at: str = ""

    @property
    def keys(self) -> frozenset[str]:
        """Keys of its spaces."""
        return frozenset(space.key for space in self.spaces)

    def lacking(self, models: Collection[str]) -> tuple[str, ...]:
        """Its models that count in the ranking and are not among these, by name."""
        return tuple(space.model for space in self.spaces if space.model not in models and self.weights.of(space.model))

    @property
    def bound(self) -> bool:
        """Whether it is known which weights its models have."""
        return all(space.identity for space in self.spaces)

    def same(self, other: Generation) -> bool:
        """Whether both are made of the same models by digest, text form and weights."""
        return _digest(self.spaces, self.text_form, self.weights) == _digest(
            other.spaces, other.text_form, other.weights
        )


class KnownGenerations(NamedTuple):
    """Generations of the index.

    Args:
        all: Oldest first, dropped ones too.
        active: Name of the one that answers; empty where there is none.
        pinned: It was chosen by hand.
    """

    all: list[Generation]
    active: str = ""
    pinned: bool = False


def space_key(model: str, identity: str, text_form: str) -> str:
    """The key of a space; the model's name alone where nothing else is known.

    Example:
        >>> space_key("mini", "mini:12ab", "code-1")
        'mini:12ab@code-1'
    """
    return f"{identity or model}@{text_form}" if text_form else identity or model


def generation_of(
    described: Described, wanted: Collection[str], known: Iterable[Generation], weights: Collection[Weights]
) -> Generation | None:
    """The generation that the embedder's models make now; None where it has none of those that are wanted.

    Args:
        described: What the embedder makes.
        wanted: Names of the models to use; none for all.
        known: Generations that there are; one of them is given where it is made of the same, a dropped one too.
        weights: What the parts of the ranking count, for each set of models.
    """
    known = list(known)
    models = [(name, identity) for name, identity in sorted(described.models) if not wanted or name in wanted]
    if not models:
        return None
    held = {(space.identity, one.text_form): space.key for one in known if one.bound for space in one.spaces}
    spaces = tuple(
        Space(held.get((identity, described.text_form), space_key(name, identity, described.text_form)), name, identity)
        for name, identity in models
    )
    counted = weights_for([name for name, _identity in models], weights)
    name = f"g-{_digest(spaces, described.text_form, counted)[:8]}"
    made = Generation(name, spaces, described.text_form, counted)
    return next((one for one in known if one.bound and one.same(made)), made)


def taken_over(keys: Collection[str], weights: Collection[Weights]) -> Generation:
    """The generation of an index that knew its models by name alone."""
    names = sorted(keys)
    return Generation(
        TAKEN_OVER, tuple(Space(name, name, "") for name in names), "", weights_for(names, weights), "whole"
    )


def _digest(spaces: Iterable[Space], text_form: str, weights: Weights) -> str:
    # Keys are left out: what was taken over keeps its vectors under names.
    parts = [
        sorted((space.model, space.identity) for space in spaces),
        text_form,
        sorted(weights.models.items()),
        weights.text,
        weights.crowding,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
