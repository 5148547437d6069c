"""The catalogue of models: `models.toml`, and `name@base_url` for any other compatible endpoint."""

from __future__ import annotations

import ipaddress
import re
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from touchstone_runtime.llm.errors import CatalogueError, UnknownModelError
from touchstone_runtime.model_names import asked_at, served_at


@dataclass(frozen=True)
class Endpoint:
    """One model at one address.

    Attributes:
        name: What people call it.
        model_id: What the endpoint calls it.
        base_url: Address of the OpenAI-compatible API, usually ending in `/v1`.
        context: Tokens of question and answer together; 0 when unknown.
        usd_per_mtoken_in: Price of a million tokens asked, USD.
        usd_per_mtoken_out: Price of a million tokens answered, USD.
        priced: False when nobody told the prices, so that a cost of zero means "unknown".
        own: The platform's own model server, whatever its address.
        cutoff: Month of the newest text that it was trained on, YYYY-MM, as its makers declare it; empty when unknown.
        digest: Digest of the model's weights, as whoever serves it names it; empty when unknown.
        thinking_tokens: What a model that thinks may spend on it, on top of the bound of its answer; 0 for others.
        stream: Whether answers are asked for piece by piece, so that one that comes late is waited for while it comes.
        batch: Whether it is asked in batches, by services that can wait for one.
        usd_per_mtoken_in_batch: Price of a million tokens asked in a batch, USD; None where it is the usual one.
        usd_per_mtoken_out_batch: Price of a million tokens answered in a batch, USD; None where it is the usual one.
    """

    name: str
    model_id: str
    base_url: str
    context: int = 0
    usd_per_mtoken_in: float = 0.0
    usd_per_mtoken_out: float = 0.0
    priced: bool = True
    own: bool = False
    cutoff: str = ""
    digest: str = ""
    thinking_tokens: int = 0
    stream: bool = False
    batch: bool = False
    usd_per_mtoken_in_batch: float | None = None
    usd_per_mtoken_out_batch: float | None = None

    @property
    def on_loopback(self) -> bool:
        """Whether the endpoint is on this machine."""
        return _is_loopback(urlsplit(self.base_url).hostname or "")

    @property
    def identity(self) -> str:
        """Name of the model for caches, runs and leaderboards.

        The platform's own server is the same model on whatever port it comes back. Of all others port and path count:
        two servers on one host are two, however alike the names of their models, and so are two behind one gateway.
        """
        if self.own:
            return self.model_id
        place = self.place
        host, _, port = place.rpartition(":")
        # A last /v1 tells nothing apart: it is the version of the API.
        path = urlsplit(self.base_url).path.rstrip("/").removesuffix("/v1").rstrip("/")
        return f"{self.model_id}@{host if port == '443' else place}{path}"

    @property
    def place(self) -> str:
        """Host and port, which a key belongs to; this machine's addresses are all one."""
        return place_of(self.base_url)

    @property
    def address(self) -> str:
        """The address as it may be told: without what may be a key."""
        return without_keys(self.base_url)

    def cost_usd(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost, USD."""
        return (tokens_in * self.usd_per_mtoken_in + tokens_out * self.usd_per_mtoken_out) / 1_000_000

    def in_batch(self) -> Endpoint:
        """The same at the prices of its batches."""
        asked, answered = self.usd_per_mtoken_in_batch, self.usd_per_mtoken_out_batch
        return replace(
            self,
            usd_per_mtoken_in=self.usd_per_mtoken_in if asked is None else asked,
            usd_per_mtoken_out=self.usd_per_mtoken_out if answered is None else answered,
        )


class _Entry(BaseModel):
    """One `[models."name"]` table."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str = ""
    # Empty: the platform's own model server (setting `llm_base_url`).
    base_url: str = ""
    context: int = Field(default=0, ge=0)
    usd_per_mtoken_in: float = Field(default=0.0, ge=0)
    usd_per_mtoken_out: float = Field(default=0.0, ge=0)
    # Prices in a batch, where they are others.
    usd_per_mtoken_in_batch: float | None = Field(default=None, ge=0)
    usd_per_mtoken_out_batch: float | None = Field(default=None, ge=0)
    note: str = ""
    # Ask for answers piece by piece.
    stream: bool = False
    # Ask in batches.
    batch: bool = False
    # What a model that thinks may spend on it, on top of the bound of its answer.
    thinking_tokens: int = Field(default=0, ge=0)
    # Month of the newest text that the model was trained on, as its makers declare it.
    cutoff: str = Field(default="", pattern=r"^(\d{4}-(0[1-9]|1[0-2]))?$")
    # Of the model's weights: another one is another model, whatever its name.
    digest: str = Field(default="", pattern=r"^(sha256:[0-9a-f]{64})?$")

    @model_validator(mode="after")
    def _whole_price(self) -> Self:
        # Of one price alone every cost would be a part of it, told as the whole.
        if len(_PRICES & self.model_fields_set) == 1:
            raise ValueError(
                "one price of two: name usd_per_mtoken_in and usd_per_mtoken_out, 0 where it costs nothing"
            )
        return self

    @field_validator("base_url")
    @classmethod
    def _told(cls, base_url: str) -> str:
        if base_url and not _is_address(base_url):
            raise ValueError("no address: write it whole, as http://host:port/v1")
        return base_url


# Ends of names that no public name server tells.
_NEAR = (".svc", ".local", ".internal", ".lan", ".localhost", ".home.arpa")
# Nothing is a price too, where it is told.
_PRICES = frozenset({"usd_per_mtoken_in", "usd_per_mtoken_out"})


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    default: str
    models: dict[str, _Entry]


class Catalogue:
    """Every model known by name.

    Args:
        endpoints: By name; the addresses are complete.
        default: The name that an empty one stands for.
    """

    def __init__(self, endpoints: dict[str, Endpoint], default: str) -> None:
        self._endpoints = dict(endpoints)
        self.default = default

    @property
    def names(self) -> tuple[str, ...]:
        """The known names, sorted."""
        return tuple(sorted(self._endpoints))

    @classmethod
    def load(cls, path: Path, local_base_url: str, local_model: str = "") -> Catalogue:
        """Read `models.toml`.

        Args:
            path: The file.
            local_base_url: Address of the platform's own model server, for entries without one.
            local_model: What is asked for there; without an entry it is the name that the server knows.

        Raises:
            CatalogueError: The file is missing or malformed.
        """
        try:
            parsed = _File.model_validate(tomllib.loads(path.read_text("utf-8")))
        except OSError as error:
            raise CatalogueError(
                f"cannot read the catalogue of models: {error}", thing=str(path), way_out="set TOUCHSTONE_MODELS_FILE"
            ) from error
        except (tomllib.TOMLDecodeError, ValidationError, UnicodeDecodeError) as error:
            raise CatalogueError(
                f"the catalogue of models is malformed: {error}", thing=str(path), way_out="correct the file"
            ) from error
        if parsed.default not in parsed.models:
            raise CatalogueError(
                f"the default model {parsed.default!r} has no table", thing=str(path), way_out="correct `default`"
            )
        endpoints = {
            name: Endpoint(
                name=name,
                model_id=entry.id or name,
                base_url=entry.base_url or local_base_url,
                context=entry.context,
                usd_per_mtoken_in=entry.usd_per_mtoken_in,
                usd_per_mtoken_out=entry.usd_per_mtoken_out,
                # A server of one's own costs nothing a token; one that anybody reaches may ask for money.
                priced=bool(_PRICES & entry.model_fields_set) or (not entry.base_url and _is_near(local_base_url)),
                own=not entry.base_url,
                cutoff=entry.cutoff,
                digest=entry.digest,
                thinking_tokens=entry.thinking_tokens,
                stream=entry.stream,
                batch=entry.batch,
                usd_per_mtoken_in_batch=entry.usd_per_mtoken_in_batch,
                usd_per_mtoken_out_batch=entry.usd_per_mtoken_out_batch,
            )
            for name, entry in parsed.models.items()
        }
        if local_model and "@" not in local_model and local_model not in endpoints and _is_address(local_base_url):
            endpoints[local_model] = Endpoint(local_model, local_model, local_base_url, priced=False)
        return cls(endpoints, parsed.default)

    def cutoff(self, model: str, endpoint: str = "") -> str:
        """What a model's makers declare as the month of its newest text.

        An id alone names no model: servers give any weights the same one. An entry is meant where people asked for the
        model by the entry's name, wherever it is served, or where its id and place are the model's.

        Args:
            model: Its identity, or the name that submitted answers stand under.
            endpoint: What it was asked for by, a catalogue name or `name@base_url`; empty where nobody was asked.

        Returns:
            The month; empty when nobody told, and where entries that may be meant tell differently.
        """
        model_id = served_at(model)[0]
        called = self._endpoints.get(endpoint) or self._endpoints.get(asked_at(endpoint)[0])
        if called is not None and called.identity == model:
            return called.cutoff
        meant = [each for each in self._endpoints.values() if each.identity == model]
        if called is not None and called.model_id in (model, model_id):
            meant.append(called)
        if not endpoint and not meant:
            meant = [self._endpoints[name] for name in (model, model_id) if name in self._endpoints]
        declared = {each.cutoff for each in meant}
        return declared.pop() if len(declared) == 1 else ""

    def unpriced(self, model: str) -> bool:
        """Whether nobody told the price of a model, by its identity, and it may have one."""
        return any(each.identity == model and not each.priced for each in self._endpoints.values())

    def resolve(self, name: str = "") -> Endpoint:
        """Find a model by name, or take `name@base_url` as it stands.

        Args:
            name: A catalogue name; `name@http://host:port/v1`; empty means the default.

        Raises:
            UnknownModelError: Neither of the two; the message lists the known names.
        """
        wanted = name or self.default
        if wanted in self._endpoints:
            return self._endpoints[wanted]
        model, base_url = asked_at(wanted)
        head, _, rest = wanted.partition("@")
        # Where no address is found, whatever stands behind the first @ may be meant as one.
        if head and (any(mark in (base_url or rest) for mark in "@?#") or (base_url and "://" in model)):
            # An address is told with every score.
            raise UnknownModelError(
                f"the address of the model {head!r} has something before an @, or after a ? or #, that may be a key",
                thing=head,
                way_out="write it without, and name the key in TOUCHSTONE_LLM_API_KEYS",
            )
        if _is_address(base_url):
            known = self._endpoints.get(model)
            if known is not None:
                return _moved(known, wanted, base_url)
            return Endpoint(name=wanted, model_id=model, base_url=base_url, priced=False)
        model, _, address = wanted.rpartition("@")
        if model and address:
            raise UnknownModelError(
                f"the address of the model {model!r} is none: {address!r}; write it whole, as {model}@http://host:port/v1",
                thing=wanted,
            )
        raise UnknownModelError(
            f"no model is called {wanted!r}; known are: {', '.join(self.names)}",
            thing=wanted,
            way_out="name one of them, add it to models.toml, or write name@http://host:port/v1",
        )


def _moved(known: Endpoint, name: str, base_url: str) -> Endpoint:
    # Another address is not ours to vouch for; nobody told what it asks, whether in batches, and of which weights.
    moved = replace(known, name=name, base_url=base_url, own=False, batch=False, digest="", priced=False)
    return replace(
        moved,
        usd_per_mtoken_in=0.0,
        usd_per_mtoken_out=0.0,
        usd_per_mtoken_in_batch=None,
        usd_per_mtoken_out_batch=None,
    )


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        # No port, or one that a server can have: asked for, it says.
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def without_keys(base_url: str) -> str:
    """An address as it may be told: without what stands before an @ of its host, or after a ? or #, which may be a key.

    Example:
        >>> without_keys("https://acme:key@models.example/v1?key=key")
        'https://models.example/v1'
    """
    scheme, separator, rest = re.split(r"[?#]", base_url, maxsplit=1)[0].rpartition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{separator}{host.rpartition('@')[2]}{slash}{path}"


def place_of(base_url: str) -> str:
    """`host:port` of an address, the port also where it is the scheme's own."""
    parts = urlsplit(base_url)
    host = (parts.hostname or "").lower()
    port = parts.port or (80 if parts.scheme == "http" else 443)
    return f"{'localhost' if _is_loopback(host) else host}:{port}"


def _is_near(base_url: str) -> bool:
    """Whether an address is of this machine, cluster or house, and not of the public network; none is of nobody."""
    host = (urlsplit(base_url).hostname or "").rstrip(".") if _is_address(base_url) else ""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return "." not in host or host.endswith(_NEAR)


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
