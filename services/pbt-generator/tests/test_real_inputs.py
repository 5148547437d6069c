"""Inputs that callers really send become cases, are counted, and stand among the examples."""

from __future__ import annotations

from pbt_generator.adapters.publisher import to_subject
from pbt_generator.domain.task.record import BuiltTask
from pbt_generator.usecases.build import Workshop
from pbt_generator.usecases.tasks import TaskBuilder
from touchstone_contracts.events import Dating, Function, SourceRef

CODE = (
    "def _label(name: str, size: int = 3) -> str:\n"
    '    """Return the name, cut at the size, with dots behind it where it was cut."""\n'
    "    return name if len(name) <= size else name[:size] + '...'\n"
)


def function(**changed: object) -> Function:
    source = SourceRef(source_id="s", source_version_id="v", kind="package", name="shelf", version="1")
    plain = Function(
        function_id="f", source=source, path="a.py", qualname="_label", name="_label", line_start=1, line_end=3,
        code=CODE, docstring="Return the name, cut at the size, with dots behind it where it was cut.",
        classification="SC", complexity=2, dating=Dating(by="release", version="1"),
        calls=("_label('Zanzibar', 5)", "_label(size=4, name='Ulm')", "_label(object)", "_label('Wien')"),
    )  # fmt: skip
    return plain.model_copy(update=changed)


async def test_real_inputs_are_cases_and_examples(workshop: Workshop, blobs) -> None:
    subject = to_subject(function())
    assert (subject.name, subject.calls[0]) == ("label", "label('Zanzibar', 5)")
    task = await TaskBuilder(workshop, blobs).build(subject)
    assert isinstance(task, BuiltTask), task
    assert (task.entry_point, task.track, task.real_cases, task.gaps) == ("label", "described", 3, ())
    assert '- `["Zanzibar",5]` gives `"Zanzi..."`' in task.instruction
    assert '- `["Ulm",4]` gives `"Ulm"`' in task.instruction or '- `["Wien",3]` gives `"Wie..."`' in task.instruction
    assert task.domain == {"name": "a text (annotation, call)", "size": "an integer (annotation, default, call)"}
    assert "default `3`" in task.instruction


def test_what_serves_annotations_alone_is_self_contained() -> None:
    noted = function(
        classification="WSC",
        annotation_only=True,
        libraries=("__future__",),
        imports=("from __future__ import annotations",),
    )
    assert to_subject(noted).kind == "SC"
    assert to_subject(noted.model_copy(update={"libraries": ("numpy",)})).kind == "WSC"
    assert to_subject(noted.model_copy(update={"annotation_only": False})).kind == "WSC"
