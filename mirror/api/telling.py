"""Sources, runs, rows, saved SQL and reports as the API tells them. Rights are checked before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone

from mirror.api import schemas
from mirror.asking.kept_steps import terms_in_words

if TYPE_CHECKING:
    from mirror.asking.models import Run, Version
    from mirror.library.models import SavedSql
    from mirror.reports.models import Report, ReportFile, ReportRun
    from mirror.reports.reasons import Reasons
    from mirror.sources.models import Source

# Items of a list that are told at once, and the most that may be asked for.
ITEMS, MOST_ITEMS = 50, 200

T = TypeVar("T")
Kept = dict[str, Any]


def address(name: str, *args: object) -> str:
    """The address of an operation."""
    return reverse(f"api-v1:{name}", args=args)


def paged(
    found: QuerySet[Any] | Sequence[Any], told: Callable[[Any], T], here: str, limit: int, offset: int
) -> dict[str, Any]:
    """Tell some of a list and where it goes on; `here` is the list's address with what was asked besides."""
    total = found.count() if isinstance(found, QuerySet) else len(found)
    items = [told(one) for one in found[offset : offset + limit]]
    after, sign = offset + limit, "&" if "?" in here else "?"
    return {
        "total": total,
        "next": f"{here}{sign}limit={limit}&offset={after}" if after < total else None,
        "items": items,
    }


def source_told(source: Source) -> schemas.SourceTold:
    """A source without its tables."""
    return schemas.SourceTold(
        name=source.name,
        engine=source.engine,
        description=source.description,
        privacy=source.privacy,
        is_sample=source.is_sample,
        catalog_at=source.catalog_at,
        catalog=address("catalog_read", source.name),
    )


def table_told(name: str, table: Kept) -> schemas.TableTold:
    """A table of a kept catalog."""
    return schemas.TableTold(
        name=name,
        is_view=table.get("is_view", False),
        comment=table.get("comment", ""),
        row_count=table.get("row_estimate"),
        primary_key=list(table.get("primary_key", ())),
        foreign_keys=[
            schemas.KeyTold(
                columns=list(key["columns"]), table=key["table"], referenced=list(key["referenced"])
            )
            for key in table.get("foreign_keys", ())
        ],
        columns=[
            schemas.ColumnTold(
                name=column["name"],
                type=column["type"],
                kind=column["kind"],
                nullable=column["nullable"],
                comment=column["comment"],
            )
            for column in table["columns"]
        ],
    )


def run_told(run: Run, *, with_rows: bool, at: str) -> schemas.RunTold:
    """A run with the version that it shows; first rows of its readings only `with_rows`. Its page is `at` the site's address."""
    version = run.versions.select_related("result").defer("figure").first()
    is_sure = bool(run.agreement_size)
    return schemas.RunTold(
        id=run.pk,
        url=address("run_read", run.pk),
        events=address("run_events", run.pk),
        page=at.rstrip("/") + reverse("asking:run", args=[run.pk]),
        source=run.thread.source.name,
        asked=run.asked,
        question=run.question,
        hint=run.hint,
        status=_status(run, version),
        outcome=run.outcome,
        reason=run.reason,
        confidence=round(run.confidence, 4) if is_sure and run.confidence is not None else None,
        agreement=schemas.Agreement(size=run.agreement_size, pool=run.agreement_pool) if is_sure else None,
        sentence=(version.sentence if version is not None else "") or run.sentence,
        notes=[*map(str, run.notes), *terms_in_words(run.known or {})],
        readings=[_reading(n, reading, with_rows) for n, reading in enumerate(run.readings)],
        version=version_told(version) if version is not None else None,
        created_at=run.created_at,
        ended_at=run.ended_at,
    )


def _status(run: Run, version: Version | None) -> str:
    """Where a run stands for who waits for its rows: it is not done while the version that it shows still works."""
    return version.status if run.is_ended and version is not None else run.status


def _reading(index: int, kept: Kept, with_rows: bool) -> schemas.ReadingTold:
    return schemas.ReadingTold(
        index=index,
        difference=kept["difference"],
        agreement=kept.get("size", 0),
        sql=kept["sql"],
        columns=kept["columns"],
        rows=kept["rows"] if with_rows else [],
        row_count=kept["row_count"],
    )


def version_told(version: Version) -> schemas.VersionTold:
    """One SQL and what it gave, without its rows."""
    result, failure = version.result, version.failure
    is_kept = result is not None and result.expires_at > timezone.now()
    return schemas.VersionTold(
        id=version.pk,
        url=address("version_read", version.pk),
        run=version.run_id,
        number=version.number,
        origin=version.origin,
        status=version.status,
        sql=version.sql,
        arguments=version.arguments,
        title=version.title,
        departs=version.departs,
        sentence=version.sentence,
        columns=[
            schemas.ResultColumn(name=one["name"], kind=one["kind"])
            for one in (result.columns if result is not None else ())
        ],
        row_count=result.row_count if result is not None else None,
        truncated=result.truncated if result is not None else False,
        seconds=round(result.seconds, 4) if result is not None else None,
        rows=address("rows_read", version.pk) if is_kept else None,
        expires_at=result.expires_at if result is not None else None,
        failure=schemas.FailureTold(
            kind=failure["kind"],
            message=failure["message"],
            advice=failure.get("advice", ""),
            position=failure.get("position"),
        )
        if failure
        else None,
    )


def saved_told(saved: SavedSql) -> schemas.SavedTold:
    """SQL that somebody kept."""
    return schemas.SavedTold(
        id=saved.pk,
        url=address("saved_read", saved.pk),
        name=saved.name,
        description=saved.description,
        question=saved.question,
        source=saved.source.name,
        owner=saved.owner.get_username(),
        sql=saved.sql,
        parameters=[
            schemas.ParameterTold(
                name=one["name"],
                kind=one["kind"],
                label=one.get("label") or one["name"],
                default=str(one.get("default") or ""),
            )
            for one in saved.parameters
        ],
        verified_by=saved.verified_by.get_username() if saved.verified_by else "",
        verified_at=saved.verified_at,
        draft=saved.draft,
        problem=saved.problem,
        updated_at=saved.updated_at,
    )


def report_told(report: Report, reasons: Reasons) -> schemas.ReportTold:
    """A report, without where it goes."""
    return schemas.ReportTold(
        id=report.pk,
        url=address("report_read", report.pk),
        runs=address("report_runs", report.pk),
        title=report.title,
        note=report.note,
        owner=report.owner.get_username(),
        formats=report.formats,
        next_at=report.next_at,
        zone=report.zone,
        is_paused=report.is_paused,
        paused_why=reasons.of_pause(report),
        parts=[part.name for part in report.parts.all()],
    )


def report_run_told(run: ReportRun, reasons: Reasons) -> schemas.ReportRunTold:
    """One making of a report, with its files."""
    return schemas.ReportRunTold(
        id=run.pk,
        url=address("report_run_read", run.pk),
        report=run.report_id,
        cause=run.cause,
        scheduled_for=run.scheduled_for,
        status=run.status,
        outcome=run.outcome,
        reason=reasons.of_run(run),
        created_at=run.created_at,
        ended_at=run.ended_at,
        files=[_file(run, file) for file in run.files_in()],
    )


def _file(run: ReportRun, file: ReportFile) -> schemas.FileTold:
    return schemas.FileTold(
        id=file.pk,
        url=address("report_file", run.pk, file.pk),
        name=file.name,
        format=file.format,
        row_count=file.row_count,
        size=file.size,
        expires_at=file.expires_at,
    )


def step_told(kind: str, data: Kept, *, with_rows: bool) -> Kept:
    """The data of a step; first rows in it only `with_rows`."""
    return {"kind": kind, **(data if with_rows else without_rows(data))}


def without_rows(data: Any) -> Any:
    """The same JSON without the first rows that it carries."""
    if isinstance(data, dict):
        return {name: without_rows(value) for name, value in data.items() if name != "rows"}
    if isinstance(data, list):
        return [without_rows(value) for value in data]
    return data
