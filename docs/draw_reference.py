"""Write `docs/reference/*.md` from the protos and their comments; run by `make gen`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)
from grpc_tools import protoc

from touchstone_runtime.scopes import scope_of

ROOT = Path(__file__).resolve().parent.parent
PROTO = ROOT / "proto"
TARGET = ROOT / "docs" / "reference"
# Numbers of fields in descriptor.proto: source comments are found by paths of them.
_MESSAGES, _ENUMS, _SERVICES, _METHODS, _FIELDS, _NESTED, _VALUES = 4, 5, 6, 2, 2, 3, 2
_KINDS = {number: name.removeprefix("TYPE_").lower() for name, number in FieldDescriptorProto.Type.items()}
_LEAD = "<!-- Written by docs/draw_reference.py from the protos: change those, then `make gen`. -->\n"

Comments = dict[tuple[int, ...], str]


def files() -> list[FileDescriptorProto]:
    """Every proto with its comments, by name."""
    names = sorted(path.relative_to(PROTO).as_posix() for path in PROTO.rglob("*.proto"))
    with tempfile.TemporaryDirectory() as scratch:
        target = Path(scratch) / "all.binpb"
        arguments = ["protoc", f"-I{PROTO}", "--include_source_info", f"--descriptor_set_out={target}", *names]
        if protoc.main(arguments) != 0:
            raise SystemExit("the protos cannot be read")
        return sorted(FileDescriptorSet.FromString(target.read_bytes()).file, key=lambda file: file.name)


def comments_of(file: FileDescriptorProto) -> Comments:
    """What is said above each thing of a file, in one line."""
    return {tuple(each.path): _line(each.leading_comments) for each in file.source_code_info.location}


def _line(text: str) -> str:
    # Tables of Markdown: no line of a proto's comment may end a row, none opens a tag.
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def page(file: FileDescriptorProto, homes: dict[str, str]) -> str:
    """The page of one proto.

    Args:
        file: The proto.
        homes: The page on which each message and enumeration is described, by its full name.
    """
    said = comments_of(file)
    parts = [_LEAD, f"# {file.package}", f"`proto/{file.name}`"]
    for place, service in enumerate(file.service):
        parts += _service(service, file, said, (_SERVICES, place), homes)
    if file.message_type:
        parts.append("## Messages")
    for place, message in enumerate(file.message_type):
        parts += _message(message, f"{file.package}.{message.name}", said, (_MESSAGES, place), homes)
    for place, enumeration in enumerate(file.enum_type):
        parts += _enumeration(enumeration, enumeration.name, said, (_ENUMS, place))
    return "\n\n".join(part for part in parts if part) + "\n"


def _service(
    service: ServiceDescriptorProto,
    file: FileDescriptorProto,
    said: Comments,
    path: tuple[int, ...],
    homes: dict[str, str],
) -> Iterator[str]:
    yield f"## {service.name}"
    yield said.get(path, "")
    rows = ["| RPC | takes | gives | a token needs | |", "|---|---|---|---|---|"]
    for place, method in enumerate(service.method):
        gives = ("a stream of " if method.server_streaming else "") + _link(method.output_type, homes)
        scope = scope_of(f"/{file.package}.{service.name}/{method.name}")
        words = said.get((*path, _METHODS, place), "")
        rows.append(f"| `{method.name}` | {_link(method.input_type, homes)} | {gives} | `{scope}` | {words} |")
    yield "\n".join(rows)


def _message(
    message: DescriptorProto, full_name: str, said: Comments, path: tuple[int, ...], homes: dict[str, str]
) -> Iterator[str]:
    maps = {
        f".{full_name}.{nested.name}": (nested.field[0], nested.field[1])
        for nested in message.nested_type
        if nested.options.map_entry
    }
    yield f"### {full_name.rpartition('v1.')[2]}"
    yield said.get(path, "")
    rows = ["| field | type | |", "|---|---|---|"]
    for place, field in enumerate(message.field):
        words = said.get((*path, _FIELDS, place), "")
        rows.append(f"| `{field.name}` = {field.number} | {_kind(field, maps, homes)} | {words} |")
    yield "\n".join(rows) if message.field else "No fields."
    for place, nested in enumerate(message.nested_type):
        if not nested.options.map_entry:
            yield from _message(nested, f"{full_name}.{nested.name}", said, (*path, _NESTED, place), homes)
    for place, enumeration in enumerate(message.enum_type):
        name = f"{full_name.rpartition('v1.')[2]}.{enumeration.name}"
        yield from _enumeration(enumeration, name, said, (*path, 4, place))


def _enumeration(enumeration: EnumDescriptorProto, name: str, said: Comments, path: tuple[int, ...]) -> Iterator[str]:
    yield f"### {name}"
    yield said.get(path, "")
    rows = ["| member | |", "|---|---|"]
    for place, value in enumerate(enumeration.value):
        rows.append(f"| `{value.name}` = {value.number} | {said.get((*path, _VALUES, place), '')} |")
    yield "\n".join(rows)


def _kind(
    field: FieldDescriptorProto,
    maps: dict[str, tuple[FieldDescriptorProto, FieldDescriptorProto]],
    homes: dict[str, str],
) -> str:
    if field.type_name in maps:
        key, value = maps[field.type_name]
        return f"map of {_kind(key, {}, homes)} to {_kind(value, {}, homes)}"
    one = _link(field.type_name, homes) if field.type_name else f"`{_KINDS[field.type]}`"
    return f"repeated {one}" if field.label == FieldDescriptorProto.LABEL_REPEATED else one


def _link(type_name: str, homes: dict[str, str]) -> str:
    full = type_name.removeprefix(".")
    short = full.rpartition("v1.")[2]
    anchor = short.lower().replace(".", "")
    return f"[`{short}`]({homes[full]}#{anchor})" if full in homes else f"`{full}`"


def _described(message: DescriptorProto, prefix: str) -> Iterator[str]:
    full = f"{prefix}.{message.name}"
    yield full
    yield from (f"{full}.{enumeration.name}" for enumeration in message.enum_type)
    for nested in message.nested_type:
        yield from _described(nested, full)


def pages() -> dict[str, str]:
    """Every page by its name."""
    every = files()
    homes: dict[str, str] = {}
    for file in every:
        home = f"{Path(file.name).stem}.md"
        homes |= {name: home for message in file.message_type for name in _described(message, file.package)}
        homes |= {f"{file.package}.{enumeration.name}": home for enumeration in file.enum_type}
    made = {f"{Path(file.name).stem}.md": page(file, homes) for file in every}
    assert len(made) == len(every), "two protos have one name"
    rows = [
        f"| [`{file.package}.{service.name}`]({Path(file.name).stem}.md) | "
        f"{comments_of(file).get((_SERVICES, place), '')} |"
        for file in every
        for place, service in enumerate(file.service)
    ]
    head = [
        _LEAD,
        "# gRPC reference",
        "Every server also describes itself by reflection, to whoever shows a token that may read "
        "([doors](../doors.md)). Programs that call: [Python](../../clients/examples/search.py), "
        "[TypeScript](../../clients/examples/search.ts).",
        "\n".join(["| service | |", "|---|---|", *rows]),
    ]
    made["README.md"] = "\n\n".join(head) + "\n"
    return made


def main() -> None:
    """Write all pages; what no proto stands behind any more goes."""
    TARGET.mkdir(exist_ok=True)
    made = pages()
    for stale in TARGET.glob("*.md"):
        if stale.name not in made:
            stale.unlink()
    for name, text in made.items():
        (TARGET / name).write_text(text)


if __name__ == "__main__":
    main()
