"""Our values as the contracts write them."""

from __future__ import annotations

from ingester.domain.dating import Dating
from ingester.domain.identity import version_id
from ingester.ports import Extracted, Source, SourceVersion
from touchstone_contracts import events


def source_ref(source: Source, version: SourceVersion, licence: str) -> events.SourceRef:
    """A source version as others know it."""
    return events.SourceRef(
        source_id=source.source_id,
        source_version_id=version_id(source.source_id, version.version),
        kind=source.kind,
        name=version.repository,
        version=version.version,
        licence=licence,
        released_at=version.released_at,
        tests_digest=version.tests_digest,
    )


def to_contract(item: Extracted, source: events.SourceRef) -> events.Function:
    """A function as others know it."""
    found = item.found
    return events.Function(
        function_id=item.function_id,
        source=source.model_copy(update={"licence": item.licence}) if item.licence else source,
        language=found.language,
        path=item.path,
        qualname=found.qualname,
        name=found.name,
        line_start=found.line_start,
        line_end=found.line_end,
        form=found.form,
        code=found.code,
        docstring=found.docstring,
        parameters=tuple(
            events.Parameter(name=each.name, kind=each.kind, annotation=each.annotation, default=each.default)
            for each in found.parameters
        ),
        returns=found.returns,
        decorators=found.decorators,
        enclosing_class=found.enclosing_class,
        file_imports=found.file_imports,
        imports=found.imports,
        libraries=found.libraries,
        annotation_only=found.annotation_only,
        changed_at=item.changed_at,
        first_seen=item.dating.first_seen,
        dating=_dating(item.dating),
        classification=found.classification,
        complexity=found.complexity,
        rejected_by=item.rejected_by,
        rejection=item.rejection,
        searchable_pair=found.searchable_pair,
        calls=found.calls,
        parts=tuple(
            events.Part(
                kind=each.kind,
                name=each.name,
                line_start=each.line_start,
                line_end=each.line_end,
                path=each.path,
                licence=each.licence or source.licence,
            )
            for each in found.parts
        ),
    )


def _dating(dating: Dating) -> events.Dating:
    return events.Dating(
        by=dating.by,
        version=dating.version,
        absent_from=dating.absent_from,
        looked_at=dating.looked_at,
        at_latest=dating.at_latest,
    )
