"""Metrics of Mirror for Prometheus.

No name of a source, a person, a report or an address is in them: sources stand by their numbers, which administrators find on the page of
the status. Ended work is a gauge over the last hour, not a counter: rows are deleted after a time, and a counter may not fall.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.conf import settings
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from mirror import VERSION
from mirror.health.services import PARTS
from mirror.upkeep.figures import HOUR, Figures, figures_read, quantile

Sample = tuple[tuple[str, ...], float]
PERCENTS = {"0.5": 50, "0.95": 95}


def metrics_text() -> bytes:
    """The exposition of all figures of the last hour. Raises: django.db.DatabaseError."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Told(figures_read(HOUR)))
    return generate_latest(registry)


class _Told(Collector):
    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterable[Metric]:
        for part in (_processes, _work, _questions, _sources, _reports, _disk):
            yield from part(self._figures)

    def describe(self) -> Iterable[Metric]:
        """Nothing: the store is not asked to register."""
        return ()


def _gauge(name: str, about: str, labels: tuple[str, ...], samples: Iterable[Sample]) -> Metric:
    gauge = GaugeMetricFamily(f"mirror_{name}", about, labels=labels)
    for values, number in samples:
        gauge.add_metric(values, number)
    return gauge


def _processes(figures: Figures) -> Iterator[Metric]:
    yield _gauge("info", "1, with the version of Mirror.", ("version",), [((VERSION,), 1.0)])
    of = [((one.name, one.part), one) for one in figures.processes]
    labels = ("process", "part")
    yield _gauge(
        "process_up",
        "1 while a process shows signs of life, 0 once it does not; one that stops in order goes.",
        labels,
        ((names, float(one.is_alive)) for names, one in of),
    )
    alive = {one.part for one in figures.processes if one.is_alive}
    yield _gauge(
        "part_up",
        "1 while a process of this part shows signs of life, 0 while none does, also where none ever started.",
        ("part",),
        (((part,), float(part in alive)) for part in PARTS),
    )
    yield _gauge(
        "process_silent_seconds",
        "Seconds since the last sign of life of a process.",
        labels,
        ((names, one.silent) for names, one in of),
    )
    yield _gauge(
        "process_memory_bytes",
        "What a process and its children take of the memory (PSS), looked at once a minute.",
        labels,
        ((names, one.memory) for names, one in of if one.memory is not None),
    )


def _work(figures: Figures) -> Iterator[Metric]:
    of = [((one.kind, one.queue), one) for one in figures.queues]
    labels = ("kind", "queue")
    yield _gauge(
        "work_waiting", "Rows that wait for a worker.", labels, ((names, one.waiting) for names, one in of)
    )
    yield _gauge(
        "work_oldest_seconds",
        "How long the row has waited that waits longest.",
        labels,
        ((names, one.oldest) for names, one in of),
    )
    yield _gauge(
        "work_later",
        "Rows that were put off and are not due.",
        labels,
        ((names, one.later) for names, one in of),
    )
    yield _gauge(
        "work_leases",
        "Rows that a worker holds by a lease.",
        labels,
        ((names, one.held) for names, one in of),
    )
    yield _gauge(
        "work_leases_over",
        "Rows whose lease is over, to be handed back.",
        labels,
        ((names, one.over) for names, one in of),
    )


def _questions(figures: Figures) -> Iterator[Metric]:
    yield _gauge(
        "questions",
        "Questions that ended within the last hour.",
        ("outcome",),
        (((outcome,), count) for outcome, count in figures.questions.items()),
    )
    yield _gauge(
        "question_seconds",
        "From asking to the end, of the questions of the last hour.",
        ("quantile",),
        (
            ((name,), quantile(figures.seconds, percent))
            for name, percent in PERCENTS.items()
            if figures.seconds
        ),
    )
    spent = figures.spent.items()
    yield _gauge(
        "llm_calls",
        "Calls for questions of the last hour.",
        ("llm",),
        (((llm,), one.calls) for llm, one in spent),
    )
    yield _gauge(
        "llm_tokens",
        "Tokens of questions of the last hour; cached ones are of the prompt's, estimated ones of both kinds.",
        ("llm", "of"),
        (
            sample
            for llm, one in spent
            for sample in (
                ((llm, "prompt"), one.prompt_tokens),
                ((llm, "cached"), one.cached_tokens),
                ((llm, "reply"), one.reply_tokens),
                ((llm, "estimated"), one.estimated_tokens),
            )
        ),
    )
    yield _gauge(
        "llm_money",
        "What questions of the last hour cost, by the prices that are set.",
        ("llm", "currency"),
        (((llm, settings.LLM_CURRENCY), one.money) for llm, one in spent),
    )


def _sources(figures: Figures) -> Iterator[Metric]:
    of = [(str(number), one) for number, one in sorted(figures.sources.items())]
    yield _gauge(
        "source_statements",
        "Statements of answers and of people that ended within the last hour, by what came of them.",
        ("source", "came"),
        (
            sample
            for source, one in of
            for sample in (
                ((source, "rows"), len(one.seconds)),
                *(((source, kind), count) for kind, count in sorted(one.failures.items())),
            )
        ),
    )
    yield _gauge(
        "source_seconds",
        "What statements of the last hour took that gave rows.",
        ("source", "quantile"),
        (
            ((source, name), quantile(one.seconds, percent))
            for source, one in of
            if one.seconds
            for name, percent in PERCENTS.items()
        ),
    )


def _reports(figures: Figures) -> Iterator[Metric]:
    yield _gauge(
        "report_runs",
        "Runs of reports that ended within the last hour.",
        ("outcome",),
        figures.report_runs.items(),
    )
    yield _gauge(
        "reports_late",
        "Reports that should have run 15 minutes ago; none while all sending is paused.",
        (),
        [((), figures.late_reports)],
    )
    yield _gauge(
        "deliveries",
        "Deliveries that ended within the last hour: sent, or given up.",
        ("channel", "state"),
        figures.deliveries.items(),
    )
    yield _gauge(
        "deliveries_retried",
        "Deliveries that failed and are tried again.",
        ("channel",),
        (((channel,), count) for channel, count in figures.retried.items()),
    )
    yield _gauge(
        "deliveries_held",
        "Deliveries that are held back, by why.",
        ("why",),
        (((why,), count) for why, count in figures.held.items()),
    )
    yield _gauge("sending_paused", "1 while all sending is paused.", (), [((), float(figures.is_paused))])


def _disk(figures: Figures) -> Iterator[Metric]:
    of = [((room.place,), room) for room in figures.rooms]
    yield _gauge(
        "disk_free_bytes",
        "Free on the disk of a folder.",
        ("place",),
        ((names, room.free) for names, room in of),
    )
    yield _gauge(
        "disk_bytes", "Size of the disk of a folder.", ("place",), ((names, room.total) for names, room in of)
    )
