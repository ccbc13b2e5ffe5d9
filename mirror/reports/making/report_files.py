"""The files of a run: written beside, then put into the storage under the attempt's own folder; and gone in time."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from pathlib import Path, PurePosixPath

from django.core.files import File
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from mirror.exports.file_writing import write
from mirror.exports.names import file_name
from mirror.exports.sheets import sheet_of, sheet_pivoted
from mirror.exports.values import FORMATS, Cover, ExportError, Sheet
from mirror.queries.values_said import day_in_full
from mirror.reports.making.made import STORAGE_ADVICE, MadePart, Making, Pictures, RunFailed, run_folder
from mirror.reports.models import ReportFile, ReportRun, RunPart
from mirror.reports.part_words import draft_told, figure_told, part_sentence
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone
from mirror.work.leases import Status
from mirror.zones import at_zone, zone_of
from sqlagent.errors import without_folders

log = logging.getLogger(__name__)

# Rows of files looked at in one go; the rest waits an hour.
AT_ONCE = 1_000
# Runs are remembered for a year after their files went.
HISTORY_DAYS = 365


def files_write(
    making: Making, parts: Sequence[MadePart], images: Sequence[Pictures], check: Callable[[], None]
) -> list[ReportFile]:
    """Write the report's formats and put them into the storage; rows are not kept yet.

    They are in each of the run's languages, that of the report's owner first. A format that holds several sheets is one file, any other one for each part. `check` is
    called now and then, and may raise. Raises: RunFailed when a file cannot be written or stored.
    """
    owners, *others = making.languages
    with override(owners):
        made = _files(making, parts, [one.get(owners) for one in images], check)
    for language in others if making.report.formats else ():
        with override(language):
            made += _files(making, parts, [one.get(language) for one in images], check, language)
    return made


def _files(
    making: Making,
    parts: Sequence[MadePart],
    images: Sequence[bytes | None],
    check: Callable[[], None],
    language: str = "",
) -> list[ReportFile]:
    sheets = [
        sheet_of(
            part.result,
            _titled(part.row),
            sentence=part_sentence(part.row),
            chart_image=image,
            figures=() if part.row.draft else tuple(figure_told(one) for one in part.row.figures),
            chart=part.row.chart if making.report.native_chart else None,
        )
        for part, image in zip(parts, images, strict=True)
    ]
    made: list[ReportFile] = []
    for name in making.report.formats:
        together = [sheets] if FORMATS[name].holds_several else [[sheet] for sheet in sheets]
        for of_file in together:
            check()
            title = making.report.title
            if len(sheets) > len(of_file):
                title = f"{title[:40]} {of_file[0].title}"
            elif any(part.row.draft for part in parts):
                title = _("Draft: %(title)s") % {"title": title}
            inside = [part for part, sheet in zip(parts, sheets, strict=True) if sheet in of_file]
            if name == "pdf":
                of_file = [
                    sheet_pivoted(sheet, part.result, part.row.chart)
                    for sheet, part in zip(of_file, inside, strict=True)
                ]
            taken = {file.name for file in made}
            made.append(_written(making, name, title, of_file, inside, taken, check, language))
            drafts = [part.row for part in inside if part.row.draft]
            made[-1].notes += [f"{part.title}: {draft_told(part)}" for part in drafts]
    return made


def _titled(part: RunPart) -> str:
    """The title of a part; it tells a draft in front, where no cut takes it away."""
    return _("Draft: %(title)s") % {"title": part.title} if part.draft else part.title


def image_keep(making: Making, position: int, image: bytes, language: str = "") -> str:
    """Put a chart's picture into the storage; returns its name there. Raises: RunFailed."""
    told = f".{language}" if language else ""
    return _stored(f"{making.folder}/{position}{told}.png", ContentFile(image))


def _written(
    making: Making,
    format: str,
    title: str,
    sheets: list[Sheet],
    parts: Sequence[MadePart],
    taken: set[str],
    check: Callable[[], None],
    language: str,
) -> ReportFile:
    name = _name(making, title, format, parts, taken)
    cover = _cover(making, parts)
    with tempfile.TemporaryDirectory(prefix="mirror-report-") as folder:
        path = Path(folder) / name
        try:
            written = write(format, sheets, path, cover, lambda rows: check())
        except (ExportError, ResultGone) as error:
            raise RunFailed(f"{FORMATS[format].label}: {error}") from None
        check()
        with path.open("rb") as file:
            told = f"{language}-{name}" if language else name
            stored = _stored(f"{making.folder}/{told}", File(file))
    return ReportFile(
        run=making.run,
        format=format,
        name=name,
        language=language,
        file=stored,
        row_count=written.rows,
        size=written.size,
        notes=list(written.notes),
        expires_at=timezone.now() + timedelta(days=making.report.keep_days),
    )


def _stored(name: str, content: File[bytes]) -> str:
    try:
        return default_storage.save(name, content, max_length=300)
    except OSError as error:
        raise RunFailed(
            f"The files of the report could not be kept: {error.strerror or without_folders(str(error))}.",
            STORAGE_ADVICE,
        ) from None


def _cover(making: Making, parts: Sequence[MadePart]) -> Cover:
    """Make the facts of a whole file: the values of its parameters, and when its data were read."""
    zone = zone_of(making.report.zone).key
    read_at = min((part.result.created_at for part in parts), default=timezone.now())
    values = "; ".join(dict.fromkeys(part.row.values for part in parts if part.row.values))
    at = at_zone(read_at, zone)
    said = _("Data of %(day)s, %(time)s (%(zone)s)") % {
        "day": day_in_full(at.date()),
        "time": f"{at:%H:%M}",
        "zone": zone,
    }
    return Cover(
        title=making.report.title,
        note=making.report.note,
        made_at=at_zone(timezone.now(), zone),
        lines=(values,) if values else (),
        data=said,
        zone=zone,
    )


def _name(making: Making, title: str, format: str, parts: Sequence[MadePart], taken: set[str]) -> str:
    """The title, the values and the day of the report in its own zone; a number where two would be called the same."""
    plain = PurePosixPath(file_name(title, format))
    values = "; ".join(dict.fromkeys(part.row.values for part in parts if part.row.values))
    if values:
        said = PurePosixPath(file_name(values, format)).stem
        plain = plain.with_stem(f"{plain.stem}_{said}")
    day = at_zone(making.run.scheduled_for or making.run.created_at, making.report.zone).date().isoformat()
    dated = f"{plain.stem}{'_' if values else '-'}{day}"
    name, count = f"{dated}{plain.suffix}", 1
    while name in taken:
        count += 1
        name = f"{dated}-{count}{plain.suffix}"
    return name


# ---------------------------------------------------------------- what goes


def attempts_forget(run: ReportRun, *, keep: int | None = None) -> None:
    """Delete rows, pictures and files of all attempts but one: what a lost worker left behind."""
    left = RunPart.objects.filter(run=run).exclude(attempt=keep or 0)
    StoredResult.objects.filter(runpart__in=left).delete()
    left.delete()
    _folders_forget(run.pk, {str(keep)} if keep else set())


def attempt_forget(making: Making) -> None:
    """Delete what this attempt made, and nothing of another's: its worker has lost the run."""
    left = RunPart.objects.filter(run=making.run, attempt=making.attempt)
    StoredResult.objects.filter(runpart__in=left).delete()
    left.delete()
    _folder_forget(making.folder)


def files_expire() -> int:
    """Delete files whose time is over with their rows, and what no row knows; returns how many files."""
    now = timezone.now()
    old = list(ReportFile.objects.filter(expires_at__lte=now)[:AT_ONCE])
    for file in old:
        file.delete()
    bare = RunPart.objects.filter(run__files=None, result=None, run__ended_at__lt=now - timedelta(days=1))
    for part in bare.exclude(image="")[:AT_ONCE]:
        for name in (str(part.image.name), *part.images.values()):
            with suppress(OSError):
                default_storage.delete(name)
        RunPart.objects.filter(pk=part.pk).update(image="", images={})
    ReportRun.objects.filter(
        status=Status.DONE, files=None, ended_at__lt=now - timedelta(days=HISTORY_DAYS)
    ).delete()
    folders_tidy()
    if old:
        log.info("%d files of reports expired", len(old))
    return len(old)


def folders_tidy() -> int:
    """Delete folders of runs that are gone, and of attempts that came to nothing; returns how many."""
    gone = 0
    for name in _listed("reports")[0]:
        if not name.isdigit():
            continue
        run = ReportRun.objects.filter(pk=int(name)).first()
        if run is not None and not run.is_ended:
            continue
        kept = {PurePosixPath(path).parent.name for path in _known(run)} if run is not None else set()
        gone += _folders_forget(int(name), kept)
    return gone


def _known(run: ReportRun) -> Iterable[str]:
    yield from run.files.values_list("file", flat=True)
    yield from run.parts.exclude(image="").values_list("image", flat=True)


def _folders_forget(run: int, kept: set[str]) -> int:
    folder = run_folder(run)
    gone = [name for name in _listed(folder)[0] if name not in kept]
    for name in gone:
        _folder_forget(f"{folder}/{name}")
    if not kept:
        _folder_forget(folder)
    return len(gone)


def _folder_forget(folder: str) -> None:
    # A file that cannot be deleted now, because somebody writes there or the storage is away, goes with the hourly look.
    with suppress(OSError):
        for name in _listed(folder)[1]:
            default_storage.delete(f"{folder}/{name}")
        default_storage.delete(folder)


def _listed(folder: str) -> tuple[list[str], list[str]]:
    """Folders and files in a folder of the storage; none when there is no such folder, or the storage is away."""
    try:
        return default_storage.listdir(folder)
    except OSError:
        return [], []
