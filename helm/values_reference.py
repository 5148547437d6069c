"""Write what the chart knows of the services' settings: their part of `values.schema.json`, and the chart's README.

Run by `make gen`. A setting that a service has is one that the schema takes and the README tells; any other is refused.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic.fields import FieldInfo

from touchstone_runtime.settings import ServiceSettings

CHART = Path(__file__).resolve().parent / "touchstone"
SERVICES = (
    "ingester", "embedder", "retriever", "annotator", "sandbox-executor", "pbt-generator", "evaluator", "web",
)  # fmt: skip
_MODULES = {"web": "touchstone_web"}
# What a pod is given from a secret alone: in a value it would stand in a config map for everybody to read.
SECRETS = (
    "TOUCHSTONE_DATABASE_URL", "TOUCHSTONE_KAFKA_PASSWORD", "TOUCHSTONE_LLM_API_KEY", "TOUCHSTONE_LLM_API_KEYS",
    "TOUCHSTONE_WEB_TOKEN", "TOUCHSTONE_GIT_TOKEN", "TOUCHSTONE_WEAVIATE_API_KEY",
)  # fmt: skip
# An empty variable is no setting: the service's own default stands.
_PATTERNS = {bool: "^(true|false|)$", int: "^-?[0-9]*$", float: "^-?[0-9]*([.][0-9]+)?$"}
_LEAD = "<!-- Written by helm/values_reference.py from values.yaml and the services' settings: `make gen`. -->"


@dataclass(frozen=True)
class Setting:
    """One setting of one service."""

    name: str
    field: FieldInfo

    @property
    def schema(self) -> dict[str, Any]:
        """What its text may be."""
        kind = self.field.annotation
        if typing.get_origin(kind) is Literal:
            return {"enum": [*typing.get_args(kind), ""]}
        pattern = _PATTERNS.get(kind) if isinstance(kind, type) else None
        return {"type": "string", "pattern": pattern} if pattern else {"type": "string"}

    @property
    def default(self) -> str:
        """Its default as it would be written."""
        value = self.field.get_default(call_default_factory=True)
        if value in (None, "", (), {}):
            return ""
        if isinstance(value, bool):
            return str(value).lower()
        return (
            json.dumps(list(value) if isinstance(value, tuple) else value)
            if not isinstance(value, Path | str)
            else str(value)
        )


def settings_of(service: str) -> list[Setting]:
    """Every setting of a service, by the name of its variable."""
    module = import_module(f"{_MODULES.get(service, service.replace('-', '_'))}.settings")
    (own,) = (
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, ServiceSettings) and each.__module__ == module.__name__
    )
    return [Setting(f"TOUCHSTONE_{name.upper()}", field) for name, field in own.model_fields.items()]


def schema(written: dict[str, Any]) -> dict[str, Any]:
    """The schema of values with the services' settings put in anew.

    Args:
        written: The schema as it lies in the chart; all but what is said of settings is kept.
    """
    every: dict[str, dict[str, Any]] = {}
    for service in SERVICES:
        own = {each.name: each.schema for each in settings_of(service) if each.name not in SECRETS}
        every |= own
        names = {name: {"$ref": f"#/$defs/settings/{name}"} for name in sorted(own)}
        written["properties"]["services"]["properties"][service] = {
            "$ref": "#/$defs/service",
            "properties": {"settings": {"type": "object", "additionalProperties": False, "properties": names}},
        }
    written["$defs"]["settings"] = dict(sorted(every.items()))
    written["properties"]["settings"] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {name: {"$ref": f"#/$defs/settings/{name}"} for name in sorted(every)},
    }
    of_each = written["$defs"]["service"]["properties"]
    of_each["settings"] = {"description": of_each["settings"]["description"], "type": "object"}
    return written


@dataclass(frozen=True)
class Value:
    """One value of the chart."""

    path: str
    default: str
    said: str


def values(text: str) -> Iterator[Value]:
    """Every value of a YAML file with the comment above it; those of `services` are told apart from this.

    Args:
        text: The file.
    """
    lines = text.splitlines()

    def said(line: int) -> str:
        found: list[str] = []
        while line > 0 and lines[line - 1].lstrip().startswith("#"):
            line -= 1
            found.insert(0, lines[line].lstrip(" #"))
        return " ".join(found)

    def walk(node: yaml.MappingNode, path: str, above: str) -> Iterator[Value]:
        for key, value in node.value:
            name = f"{path}.{key.value}" if path else key.value
            if name == "services":
                continue
            comment = said(key.start_mark.line)
            if isinstance(value, yaml.MappingNode) and value.value and not value.flow_style:
                yield from walk(value, name, comment)
                continue
            default = json.dumps(yaml.safe_load(yaml.serialize(value)), ensure_ascii=False)
            yield Value(name, default, comment or above)
            above = ""

    root = yaml.compose(text)
    assert isinstance(root, yaml.MappingNode)
    yield from walk(root, "", "")


def readme(given: str, written: dict[str, Any]) -> str:
    """The chart's README.

    Args:
        given: `values.yaml`.
        written: The schema, whose descriptions tell what each service takes.
    """
    services = yaml.safe_load(given)["services"]
    shared = {each.name for each in map(_named, ServiceSettings.model_fields.items())}
    of_service = written["$defs"]["service"]["properties"]
    parts = [
        _LEAD,
        "# The chart and its values",
        "How to install, size, upgrade, back up and restore: [k8s/README.md](../../k8s/README.md). A value that is not "
        "listed here is refused.",
        "## Values",
        _table(
            ("value", "default", "what it is"),
            [(f"`{v.path}`", f"`{v.default}`", v.said.replace("<", "&lt;")) for v in values(given)],
        ),
        "## Values of each service",
        "Under `services.<name>`; `services.web` is the pages.",
        _table(
            ("value", "what it is"),
            [(f"`{name}`", each.get("description", "")) for name, each in of_service.items() if name != "pagesOnly"],
        ),
        _table(
            ("service", "replicas", "requests", "limits", "scaled by"),
            [(f"`{name}`", str(each["replicas"]), *_resources(each), _scaled(each)) for name, each in services.items()],
        ),
        "## Settings",
        "Texts in `settings` (every service) and `services.<name>.settings` (one). Passwords and keys are no values: "
        "they come from secrets that values name, or by `extraEnv` with `valueFrom` ("
        + ", ".join(f"`{each}`" for each in SECRETS)
        + ").",
        "### Of every service",
        _table(
            _HEAD,
            [_row(each) for each in map(_named, ServiceSettings.model_fields.items()) if each.name not in SECRETS],
        ),
    ]
    for service in SERVICES:
        own = [each for each in settings_of(service) if each.name not in shared and each.name not in SECRETS]
        parts += [f"### Of {service}", _table(_HEAD, [_row(each) for each in own])]
    return "\n\n".join(parts) + "\n"


_HEAD = ("setting", "default", "what it is")


def _named(item: tuple[str, FieldInfo]) -> Setting:
    return Setting(f"TOUCHSTONE_{item[0].upper()}", item[1])


def _row(setting: Setting) -> tuple[str, str, str]:
    return f"`{setting.name}`", f"`{setting.default}`" if setting.default else "", setting.field.description or ""


def _resources(service: dict[str, Any]) -> tuple[str, str]:
    asked, most = service["resources"]["requests"], service["resources"]["limits"]
    return f"{asked['cpu']} CPU, {asked['memory']}", str(most["memory"])


def _scaled(service: dict[str, Any]) -> str:
    scaling = service.get("autoscaling")
    if scaling is None:
        return ""
    by = "lag" if scaling.get("topics") else "requests in flight"
    return f"{by}, {scaling['minReplicas']} to {scaling['maxReplicas']}"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def main() -> None:
    """Write both files."""
    path = CHART / "values.schema.json"
    written = schema(json.loads(path.read_text()))
    path.write_text(json.dumps(written, indent=2) + "\n")
    (CHART / "README.md").write_text(readme((CHART / "values.yaml").read_text(), written))


if __name__ == "__main__":
    main()
