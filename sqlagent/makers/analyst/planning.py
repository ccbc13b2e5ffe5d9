"""A frame as SQL of one dialect.

Rows are gone through once at the measure's own grain: other tables are joined only upwards, from many to one, so
nothing is counted twice; rows downwards are asked by IN. Groups are told apart by keys and shown by names. Figures of
several grains are aggregated each by itself and laid side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.catalog.semantics.words import KEYS
from sqlagent.language.words import singular, split_name, stem
from sqlagent.makers.analyst.faults import spared
from sqlagent.makers.analyst.formulas import filled
from sqlagent.makers.analyst.frames import (
    BESIDE,
    MOVED,
    Condition,
    Dimension,
    Expr,
    Frame,
    Having,
    Measure,
    Slot,
)
from sqlagent.makers.analyst.periods_beside import periods_beside
from sqlagent.makers.analyst.preceding import reaching_back
from sqlagent.makers.analyst.rows import Block, Fault, NoPlan, RowWriter, bound_to
from sqlagent.makers.analyst.telling import figure_name
from sqlagent.makers.analyst.with_none import of_the_things


class Planner(RowWriter):
    """Writes frames over one model."""

    def sql(self, frame: Frame) -> str:
        """Write a frame; two periods by something stand side by side. Raises: NoPlan, also of an error of ours, which is logged."""
        written = spared(lambda: self._written(frame), None, expected=(NoPlan,))
        if written is None:
            raise Fault("an error of ours")
        return written

    def _written(self, frame: Frame) -> str:
        frame = periods_beside(frame)
        if not frame.measures:
            return self._list(frame)
        anchors = {m.anchor for m in frame.measures}
        if len(anchors) > 1:
            beside = self._side_by_side(frame)
            if frame.formula is not None:
                return self._computed(frame, frame.formula, beside)
            return self._quotient(frame, beside) if frame.transform == "quotient" else beside
        if any(m.agg == "median" for m in frame.measures):
            return self._median(frame)
        return self._figures(frame)

    # ------------------------------------------------------------ figures

    def figure(self, block: Block, measure: Measure, others: Sequence[Condition] = ()) -> str:
        """A measure as an aggregate of the block's rows that meet its own conditions."""
        where = [self.condition(block, part) for part in (*measure.where, *others)]
        met = " AND ".join(where)
        if measure.agg == "ratio":
            assert measure.over is not None and measure.under is not None
            over = self.figure(block, measure.over, (*measure.where, *others))
            under = self.figure(block, measure.under, (*measure.where, *others))
            return f"{'100.0' if measure.percent else '1.0'} * {over} / NULLIF({under}, 0)"
        if measure.agg == "formula":
            parts = [self.figure(block, part, (*measure.where, *others)) for part in measure.parts]
            return f"({filled(measure.shape, parts)})"
        if measure.agg == "rows":
            return f"COUNT(CASE WHEN {met} THEN 1 END)" if met else "COUNT(*)"
        assert measure.expr is not None
        own = self.expression(block, measure.expr)
        if met:
            own = f"CASE WHEN {met} THEN {own}{' ELSE 0' if measure.agg == 'sum' else ''} END"
        if measure.agg in ("median", ""):
            raise NoPlan("a median beside other figures, or a column that nothing sums up")
        if measure.agg == "distinct":
            return f"COUNT(DISTINCT {own})"
        return f"{measure.agg.upper()}({own})"

    def _dimension(self, block: Block, dimension: Dimension) -> tuple[list[str], list[str]]:
        """Shown columns of a dimension, and columns that tell its groups apart."""
        if dimension.grain:
            column = self._column(block, dimension.shown[0])
            label = self.dialect.grain(column, dimension.shown[0].field.form, dimension.grain)
            return [label], [label]
        if dimension.op == "age":
            years = self.expression(block, Expr("age", dimension.shown, "years"))
            width = dimension.bucket
            bucket = self.dialect.whole(years if width <= 1 else f"{years} / {width:g}")
            bucket = bucket if width <= 1 else f"{bucket} * {width:g}"
            return [bucket], [bucket]
        if dimension.bucket:
            column = self._column(block, dimension.shown[0])
            bucket = f"{self.dialect.whole(f'{column} / {dimension.bucket:g}')} * {dimension.bucket:g}"
            return [bucket], [bucket]
        shown = [self._shown(block, slot) for slot in dimension.shown]
        keys = [self._column(block, slot) for slot in dimension.keys]
        return shown, ([*keys, *shown] if keys else shown)

    def _figures(self, frame: Frame) -> str:
        frame, since = reaching_back(frame)
        anchor = frame.measures[0].anchor
        block = self._block(anchor)
        shown: list[str] = []
        keys: list[str] = []
        cells: list[list[str]] = []
        fresh: list[Dimension] = []
        for dimension in (*frame.per, *frame.by):
            some, apart = self._dimension(block, dimension)
            cells.append(some)
            fresh += [dimension] if set(some) - set(shown) else []
            shown += [s for s in some if s not in shown]
            keys += [k for k in apart if k not in keys]
        if frame.pivot:
            return self._pivot(frame)
        if frame.transform == "between":
            return self._between(frame, block, shown, keys)
        figures = [self.figure(block, m) for m in frame.measures]
        having = [self._having(block, frame, h, keys) for h in frame.having]
        names = [f"label_{n}" for n in range(1, len(shown) + 1)]
        labels = self._names(replace(frame, per=(), by=tuple(fresh)), len(shown), len(figures))
        where = [self.condition(block, c) for c in frame.where]
        if frame.with_empty and frame.by and frame.by[0].keys:
            return self._with_empty(frame, labels)
        body = self._from(block) + (f" WHERE {' AND '.join(where)}" if where else "")
        grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
        grouped += f" HAVING {' AND '.join(having)}" if having else ""
        picked = [f"{s} AS {n}" for s, n in zip((*shown, *figures), labels, strict=True)]
        del names
        if frame.transform == "average" and keys and any(d.grain for d in frame.by) and len(frame.by) > 1:
            outer = [n for n, d in zip(labels, frame.by, strict=False) if not d.grain and len(d.shown) == 1]
            inner = f"SELECT {', '.join(picked)} {body}{grouped}"
            return f"SELECT {', '.join([*outer, f'AVG(1.0 * {labels[-1]}) AS average'])} FROM ({inner}) AS groups_of GROUP BY {', '.join(outer)} ORDER BY {', '.join(outer)}"  # noqa: S608
        if frame.transform == "average" and keys:
            inner = f"SELECT {figures[0]} AS figure {body}{grouped}"
            return f"SELECT AVG(1.0 * figure) AS {self.dialect.quoted('average')} FROM ({inner}) AS groups_of"  # noqa: S608
        if frame.transform == "spread" and keys:
            inner = f"SELECT {figures[0]} AS figure {body}{grouped}"
            return f"SELECT figure AS {labels[-1]}, COUNT(*) AS how_many FROM ({inner}) AS groups_of GROUP BY figure ORDER BY figure"  # noqa: S608
        if frame.transform in ("share", "running", "moving", "change", "growth"):
            named = [[labels[shown.index(cell)] for cell in some] for some in cells]
            return self._windowed(frame, picked, labels, named, body + grouped, since)
        if frame.transform == "concentration" and keys:
            place = f"ROW_NUMBER() OVER (ORDER BY {figures[0]} DESC)"
            inner = f"SELECT {figures[0]} AS figure, {place} AS place {body}{grouped}"
            few = f"SUM(CASE WHEN place <= {frame.limit} THEN figure END)"
            name = self.dialect.quoted("share")
            return f"SELECT 100.0 * {few} / NULLIF(SUM(figure), 0) AS {name} FROM ({inner}) AS groups_of"  # noqa: S608
        if frame.transform == "groups" and keys:
            inner = f"SELECT 1 AS one {body}{grouped}"
            return f"SELECT COUNT(*) AS how_many FROM ({inner}) AS groups_of"  # noqa: S608
        if frame.per and frame.limit is not None:
            return self._within(frame, block, picked, labels, body + grouped, figures)
        width = len(shown) if "only groups" in frame.flags else len(labels)
        is_ranked = frame.order is not None and frame.order.is_of_figure
        if frame.offset and frame.limit == 1 and keys and is_ranked:
            told = (*shown, *figures)[:width]
            return self._at_place(frame, told, labels[:width], figures[0], body + grouped)
        chosen = picked[:width]
        order = self._order(frame, block, figures, shown)
        return f"SELECT {', '.join(chosen)} {body}{grouped}{order}{self._limit(frame)}"

    def _having(self, block: Block, frame: Frame, having: Having, keys: Sequence[str]) -> str:
        own = self.figure(block, having.measure)
        if having.slot is not None:
            column = self._column(block, having.slot)
            if column not in keys:
                column = f"MAX({column})"
            return f"{own} {having.compare} {column}"
        if having.average:
            inner = self._block(block.anchor, set())
            where = [self.condition(inner, c) for c in frame.where]
            inner_keys = [k for d in (*frame.per, *frame.by) for k in self._dimension(inner, d)[1]]
            figure = self.figure(inner, having.measure)
            met = f" WHERE {' AND '.join(where)}" if where else ""
            each = f"SELECT {figure} AS figure {self._from(inner)}{met} GROUP BY {', '.join(dict.fromkeys(inner_keys))}"
            return f"{own} {having.compare} (SELECT AVG(1.0 * figure) FROM ({each}) AS each_group)"  # noqa: S608
        return f"{own} {having.compare} {having.number:.15g}"

    def _order(self, frame: Frame, block: Block, figures: Sequence[str], shown: Sequence[str]) -> str:
        if not shown:
            return ""
        if frame.order is not None:
            way = _way(frame)
            if frame.order.measure is not None:
                return f" ORDER BY {self.figure(block, frame.order.measure)}{way}"
            if frame.order.by is not None:
                return f" ORDER BY {self.expression(block, frame.order.by)}{way}"
            if frame.order.dimension is not None:
                sorted_by = self._sorted_by(block, frame.by[frame.order.dimension])
                return f" ORDER BY {', '.join(f'{cell}{way}' for cell in sorted_by)}"
            if frame.limit is None and len(frame.by) > 1 and any(d.grain for d in frame.by):
                return f" ORDER BY {', '.join(shown)}"
            return f" ORDER BY {figures[0]}{way}"
        weekday = next((d for d in frame.by if d.grain == "weekday"), None)
        if weekday is not None and len(frame.by) == 1:
            return f" ORDER BY {self._sorted_by(block, weekday)[0]}"
        if any(d.grain or d.bucket for d in (*frame.by, *frame.per)):
            return f" ORDER BY {', '.join(shown)}"
        return f" ORDER BY {figures[0]} DESC"

    def _sorted_by(self, block: Block, dimension: Dimension) -> list[str]:
        """Sort keys of groups in order of a dimension: its labels, of weekdays their place in the week."""
        if dimension.grain != "weekday":
            return self._dimension(block, dimension)[0]
        slot = dimension.shown[0]
        return [f"MIN({self.dialect.weekday_place(self._column(block, slot), slot.field.form)})"]

    @staticmethod
    def _limit(frame: Frame) -> str:
        if frame.limit is None or frame.per:
            return ""
        return f" LIMIT {frame.limit}" + (f" OFFSET {frame.offset}" if frame.offset else "")

    def _windowed(
        self,
        frame: Frame,
        picked: Sequence[str],
        labels: Sequence[str],
        named: Sequence[Sequence[str]],
        body: str,
        since: str,
    ) -> str:
        """Shares, running figures and changes, over the finished groups; of changes those `since` a label are shown.

        `named` holds the labels of each dimension: two dimensions may share one, and a dimension may have several.
        """
        shown = list(dict.fromkeys(name for some in named for name in some))
        figure = labels[len(shown)]
        grain = next((n for n, d in enumerate((*frame.per, *frame.by)) if d.grain), None)
        place = named[grain][0] if grain is not None else (shown[0] if shown else "")
        others = [s for s in shown if s != place]
        parts = f"PARTITION BY {', '.join(others)} " if others else ""
        inner = f"SELECT {', '.join(picked)} {body}"
        name = self.dialect.quoted(frame.transform)
        if frame.transform == "share":
            over = f"PARTITION BY {shown[0]}" if "within" in frame.flags and len(shown) > 1 else ""
            own = f"100.0 * {figure} / NULLIF(SUM({figure}) OVER ({over}), 0) AS {name}"
            beside = [figure] if BESIDE in frame.flags else []
            return f"SELECT {', '.join([*shown, *beside, own])} FROM ({inner}) AS groups_of ORDER BY {self._share_order(frame, named, figure)}{self._limit(frame)}"  # noqa: S608
        over = f"OVER ({parts}ORDER BY {place})"
        if frame.transform == "running":
            own = f"SUM({figure}) {over}"
        elif frame.transform == "moving":
            own = f"AVG(1.0 * {figure}) OVER ({parts}ORDER BY {place} ROWS BETWEEN {max(1, frame.window - 1)} PRECEDING AND CURRENT ROW)"
        elif frame.transform == "change":
            own = f"{figure} - LAG({figure}) {over}"
        else:
            own = f"100.0 * ({figure} - LAG({figure}) {over}) / NULLIF(LAG({figure}) {over}, 0)"
        keeps = [figure] if frame.transform in ("change", "growth", "running") else []
        changes = f"SELECT {', '.join([*shown, *keeps, f'{own} AS {name}'])} FROM ({inner}) AS groups_of"  # noqa: S608
        if since:
            changes = f"SELECT {', '.join([*shown, *keeps, name])} FROM ({changes}) AS with_before WHERE {place} >= '{since}'"  # noqa: S608
        return f"{changes} ORDER BY {', '.join([*others, place])}"

    @staticmethod
    def _share_order(frame: Frame, named: Sequence[Sequence[str]], figure: str) -> str:
        """Times in their order, else the largest share first, unless the frame says otherwise."""
        way = _way(frame)
        if frame.order is None and frame.limit is None:
            dimensions = (*frame.per, *frame.by)
            timed = next(
                (n for n, d in enumerate(dimensions) if d.grain and d.grain not in ("weekday", "weekend")),
                None,
            )
            if timed is not None:
                return f"{named[timed][0]}, {figure} DESC"
        if frame.order is None or frame.order.dimension is None:
            return f"{figure}{way}"
        if frame.order.dimension >= len(frame.by):
            raise NoPlan("an order by a group that is not there")
        names = named[len(frame.per) + frame.order.dimension]
        return ", ".join(f"{name}{way}" for name in names)

    def _within(
        self,
        frame: Frame,
        block: Block,
        picked: Sequence[str],
        labels: Sequence[str],
        body: str,
        figures: Sequence[str],
    ) -> str:
        """The first few of each group."""
        per = [k for d in frame.per for k in self._dimension(block, d)[1]]
        way = _way(frame)
        place = f"RANK() OVER (PARTITION BY {', '.join(per)} ORDER BY {figures[0]}{way})"
        inner = f"SELECT {', '.join(picked)}, {place} AS place {body}"
        return f"SELECT {', '.join(labels)} FROM ({inner}) AS ranked WHERE place <= {frame.limit} ORDER BY {labels[0]}, place"  # noqa: S608

    def _between(self, frame: Frame, block: Block, shown: Sequence[str], keys: Sequence[str]) -> str:
        """How a figure changed from one period to another: `measures` are the earlier and the later one."""
        if len(frame.measures) < 2:
            raise NoPlan("a change between one period and itself")
        earlier, later = (self.figure(block, m) for m in frame.measures[:2])
        change = (
            f"100.0 * ({later} - {earlier}) / NULLIF({earlier}, 0)"
            if "percent" in frame.flags
            else f"{later} - {earlier}"
        )
        where = [self.condition(block, c) for c in frame.where]
        body = self._from(block) + (f" WHERE {' AND '.join(where)}" if where else "")
        name = self.dialect.quoted("change")
        if any(c.op == "held" for m in frame.measures for c in m.where):
            return self._between_held(frame, (earlier, later), body, shown, keys)
        if not shown:
            return f"SELECT {change} AS {name} {body}"
        grouped = f" GROUP BY {', '.join(keys)}"
        way = _way(frame)
        if moved := [flag for flag in frame.flags if flag in MOVED]:
            labels = self._names(frame, len(shown), 2)[len(shown) :]
            both = ", ".join(f"{f} AS {n}" for f, n in zip((earlier, later), labels, strict=True))
            grouped += f" HAVING {later} {MOVED[moved[0]]} {earlier}"
            return f"SELECT {', '.join(shown)}, {both} {body}{grouped} ORDER BY {change}{way}{self._limit(frame)}"
        return f"SELECT {', '.join(shown)}, {change} AS {name} {body}{grouped} ORDER BY {change}{way}{self._limit(frame)}"

    def _between_held(
        self, frame: Frame, ends: tuple[str, str], body: str, shown: Sequence[str], keys: Sequence[str]
    ) -> str:
        """How a price changed from one day to another: of each thing that had one on both."""
        change = (
            "100.0 * (later - earlier) / NULLIF(earlier, 0)"
            if "percent" in frame.flags
            else "later - earlier"
        )
        name = self.dialect.quoted("change")
        labels = self._names(frame, len(shown), 2)[: len(shown)]
        picked = [f"{cell} AS {label}" for cell, label in zip(shown, labels, strict=True)]
        picked += [f"{end} AS {label}" for end, label in zip(ends, ("earlier", "later"), strict=True)]
        grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
        inner = f"SELECT {', '.join(picked)} {body}{grouped}"
        there = "earlier IS NOT NULL AND later IS NOT NULL"
        outer = (
            f"SELECT {', '.join([*labels, f'{change} AS {name}'])} FROM ({inner}) AS ends_of WHERE {there}"  # noqa: S608
        )
        if not shown:
            return outer
        way = _way(frame)
        if moved := [flag for flag in frame.flags if flag in MOVED]:
            outer = f"SELECT {', '.join([*labels, 'earlier', 'later'])} FROM ({inner}) AS ends_of WHERE later {MOVED[moved[0]]} earlier"  # noqa: S608
            return f"{outer} ORDER BY {change}{way}{self._limit(frame)}"
        return f"{outer} ORDER BY {name}{way}{self._limit(frame)}"

    def _pivot(self, frame: Frame) -> str:
        """The values of the last dimension as columns."""
        *others, last = frame.by
        block = self._block(frame.measures[0].anchor)
        shown: list[str] = []
        keys: list[str] = []
        for dimension in others:
            some, apart = self._dimension(block, dimension)
            shown, keys = shown + some, keys + apart
        slot = last.shown[0]
        figures = [
            self.figure(block, frame.measures[0], (Condition("in", (slot,), (value,)),))
            + f" AS {self.dialect.quoted(_safe(value))}"
            for value in frame.pivot
        ]
        where = [self.condition(block, c) for c in frame.where]
        body = self._from(block) + (f" WHERE {' AND '.join(where)}" if where else "")
        grouped = f" GROUP BY {', '.join(keys)} ORDER BY {', '.join(shown)}" if keys else ""
        return f"SELECT {', '.join([*shown, *figures])} {body}{grouped}"

    def _with_empty(self, frame: Frame, labels: Sequence[str]) -> str:
        """Figures of every thing, those without rows too."""
        dimension, measure = frame.by[0], frame.measures[0]
        key = dimension.keys[0]
        thing = self._block(key.field.table)
        inner = self._block(measure.anchor, thing.taken)
        pointing = self._column(inner, key)
        of_things, of_rows = of_the_things(frame.where, key.path)
        where = [self.condition(inner, c) for c in of_rows]
        kept = " AND ".join(self.condition(thing, c) for c in of_things)
        met = f" WHERE {' AND '.join(where)}" if where else ""
        each = f"SELECT {pointing} AS pointed, {self.figure(inner, measure)} AS figure {self._from(inner)}{met} GROUP BY {pointing}"
        shown = [self._shown(thing, replace(s, path=())) for s in dimension.shown]
        named = [f"{s} AS {n}" for s, n in zip(shown, labels, strict=False)]
        own = f"{thing.aliases[()]}.{self.dialect.quoted(key.field.column)}"
        way = _way(frame)
        body = f"{self._from(thing)} LEFT JOIN ({each}) AS figures ON figures.pointed = {own}{f' WHERE {kept}' if kept else ''}"
        figure = "COALESCE(figure, 0)"
        if frame.offset and frame.limit == 1:
            return self._at_place(frame, (*shown, figure), labels, figure, body)
        return f"SELECT {', '.join(named)}, {figure} AS {labels[-1]} {body} ORDER BY {figure}{way}{self._limit(frame)}"  # noqa: S608

    def _side_by_side(self, frame: Frame) -> str:
        """Figures of several tables: each aggregated by itself, then joined on the dimensions."""
        groups: list[str] = []
        width = 0
        labels: list[str] = []
        for number, measure in enumerate(frame.measures):
            block = self._block(measure.anchor)
            by = _as_seen_from(frame.by, number)
            shown: list[str] = []
            keys: list[str] = []
            for dimension in by:
                some, apart = self._dimension(block, dimension)
                shown, keys = shown + some, keys + apart
            where = [self.condition(block, c) for c in measure_where(frame, number)]
            figure = self.figure(block, replace(measure, where=()))
            width = len(shown)
            labels = self._names(frame, width, len(frame.measures))
            cells = [f"{s} AS {n}" for s, n in zip(shown, labels, strict=False)]
            cells += [
                f"{figure if other == number else 'NULL'} AS {labels[width + other]}"
                for other in range(len(frame.measures))
            ]
            met = f" WHERE {' AND '.join(where)}" if where else ""
            grouped = f" GROUP BY {', '.join(keys)}" if keys else ""
            groups.append(f"SELECT {', '.join(cells)} {self._from(block)}{met}{grouped}")
        summed = [f"SUM({n}) AS {n}" for n in labels[width:]]
        grouped = (
            f" GROUP BY {', '.join(labels[:width])} ORDER BY {', '.join(labels[:width])}" if width else ""
        )
        return f"SELECT {', '.join([*labels[:width], *summed])} FROM ({' UNION ALL '.join(groups)}) AS both_figures{grouped}"  # noqa: S608

    def _quotient(self, frame: Frame, beside: str) -> str:
        """One figure as a share of another that is of another table."""
        labels = self._names(frame, sum(len(d.shown) for d in frame.by), len(frame.measures))
        width = len(labels) - len(frame.measures)
        many = frame.scale or 100.0
        name = f"per_{many:g}" if frame.scale else "percent"
        own = f"{many:.1f} * {labels[width]} / NULLIF({labels[width + 1]}, 0) AS {self.dialect.quoted(name)}"
        order = f" ORDER BY {', '.join(labels[:width])}" if width else ""
        return f"SELECT {', '.join([*labels[:width], own])} FROM ({beside}) AS figures{order}"  # noqa: S608

    def _computed(self, frame: Frame, formula: Measure, beside: str) -> str:
        """A formula over figures of several tables, each of which was aggregated by itself; rows that are not there add nothing."""
        if frame.transform or frame.having or frame.per or frame.pivot or frame.with_empty:
            raise NoPlan("a formula over several tables in another form")
        labels = self._names(frame, sum(len(d.shown) for d in frame.by), len(frame.measures))
        width = len(labels) - len(frame.measures)
        added = [m.agg in ("sum", "rows", "distinct") for m in frame.measures]
        cells = [f"COALESCE({c}, 0)" if add else c for c, add in zip(labels[width:], added, strict=True)]
        name = self.dialect.quoted(_safe(formula.said or "figure"))
        name = name if name not in labels[:width] else self.dialect.quoted("figure")
        own = f"{filled(formula.shape, cells)} AS {name}"
        ranked = frame.order is not None or frame.limit is not None
        way = _way(frame)
        order = f" ORDER BY {name}{way}" if ranked else f" ORDER BY {', '.join(labels[:width])}"
        if not width:
            order = ""
        return f"SELECT {', '.join([*labels[:width], own])} FROM ({beside}) AS figures{order}{self._limit(frame)}"  # noqa: S608

    def _median(self, frame: Frame) -> str:
        measure = frame.measures[0]
        if len(frame.measures) > 1 or measure.expr is None:
            raise NoPlan("a median beside other figures, or of how many rows there are")
        block = self._block(measure.anchor)
        shown: list[str] = []
        for dimension in frame.by:
            shown += self._dimension(block, dimension)[0]
        own = self.expression(block, measure.expr)
        where = [self.condition(block, c) for c in (*frame.where, *measure.where)] + [f"{own} IS NOT NULL"]
        labels = self._names(frame, len(shown), 1)
        parts = f"PARTITION BY {', '.join(shown)} " if shown else ""
        cells = [f"{s} AS {n}" for s, n in zip(shown, labels, strict=False)]
        cells += [
            f"{own} AS figure",
            f"ROW_NUMBER() OVER ({parts}ORDER BY {own}) AS place",
            f"COUNT(*) OVER ({parts.strip()}) AS many",
        ]
        inner = f"SELECT {', '.join(cells)} {self._from(block)} WHERE {' AND '.join(where)}"
        grouped = f" GROUP BY {', '.join(labels[:-1])} ORDER BY {', '.join(labels[:-1])}" if shown else ""
        return f"SELECT {', '.join([*labels[:-1], f'AVG(1.0 * figure) AS {labels[-1]}'])} FROM ({inner}) AS placed WHERE 2 * place BETWEEN many AND many + 2{grouped}"  # noqa: S608

    # ------------------------------------------------------------ lists

    def _list(self, frame: Frame) -> str:
        block = self._block(frame.anchor)
        block.keeps = not frame.distinct and (
            frame.with_empty or any(not slot.path for slot in frame.columns)
        )
        if frame.with_empty and frame.columns:
            self._begin_with(block, frame.columns[0].path[0])
        sorted_by = frame.order.by if frame.order is not None else None
        is_ranked = sorted_by is not None and (frame.limit is not None or frame.distinct)
        block.bound = bound_to([*frame.where, *([Condition("", expr=sorted_by)] if is_ranked else [])])
        shown = [self._shown(block, slot) for slot in frame.columns]
        block.keeps = False
        if not shown:
            shown = [f"{block.aliases[()]}.*"]
        where = [self.condition(block, c) for c in frame.where]
        order = ""
        own = self.expression(block, sorted_by) if sorted_by is not None else ""
        by = sorted_by.slots if sorted_by is not None else ()
        may_lack = not is_ranked and any(self._may_lack(slot) for slot in by if slot not in frame.had)
        if own and frame.order is not None:
            if is_ranked:
                where.append(f"{own} IS NOT NULL")
            last = f"CASE WHEN {own} IS NULL THEN 1 ELSE 0 END, " if may_lack else ""
            order = f" ORDER BY {last}{own}{_way(frame)}"
        if frame.per and own and frame.order is not None:
            return self._listed_per_group(frame, block, shown, where, own, order)
        body = self._from(block) + (f" WHERE {' AND '.join(where)}" if where else "")
        if own and frame.offset and frame.limit == 1 and not frame.distinct:
            names = self._column_names(shown, [_role(slot) for slot in frame.columns])
            return self._at_place(frame, shown, names, own, body)
        word = "SELECT DISTINCT" if frame.distinct else "SELECT"
        if frame.distinct and own and own not in shown:
            raise NoPlan("an order that is not shown")
        if frame.distinct and not order:
            body = body + " " if not where else body
            body += (
                f"{' AND' if where else 'WHERE'} {shown[0]} IS NOT NULL"
                if len(shown) == 1 and frame.columns
                else ""
            )
        return f"{word} {', '.join(self._headed(shown, [_role(slot) for slot in frame.columns]))} {body}{order}{self._limit(frame)}"

    def _listed_per_group(
        self, frame: Frame, block: Block, shown: Sequence[str], where: Sequence[str], own: str, order: str
    ) -> str:
        """The rows of each group in their order: all of them, or the first ones, or those at one place."""
        groups = [self._dimension(block, d) for d in frame.per]
        cells = list(dict.fromkeys([*(cell for g in groups for cell in g[0]), *shown]))
        labels = self._column_names(cells)
        body = self._from(block) + (f" WHERE {' AND '.join(where)}" if where else "")
        picked = ", ".join(f"{c} AS {n}" for c, n in zip(cells, labels, strict=True))
        if frame.limit is None and not frame.distinct:
            return f"SELECT {picked} {body} ORDER BY {cells[0]}, {order.removeprefix(' ORDER BY ')}"
        keys = list(dict.fromkeys(k for g in groups for k in g[1]))
        way = _way(frame)
        rank = "DENSE_RANK" if frame.distinct or frame.offset else "RANK"
        kept = f"= {frame.offset + 1}" if frame.offset else f"<= {frame.limit or 1}"
        place = f"{rank}() OVER (PARTITION BY {', '.join(keys)} ORDER BY {own}{way}) AS place"
        if frame.distinct:  # two groups of one name stay two
            apart = [f"{k} AS group_{n}" for n, k in enumerate(keys, 1) if k not in cells]
            picked = f"DISTINCT {', '.join([picked, *apart])}"
        ranked = f"SELECT {picked}, {place} {body}"
        return f"SELECT {', '.join(labels)} FROM ({ranked}) AS ranked WHERE place {kept} ORDER BY {labels[0]}, place"  # noqa: S608

    @staticmethod
    def _at_place(frame: Frame, cells: Sequence[str], labels: Sequence[str], figure: str, body: str) -> str:
        """All rows whose figure is the nth different one: the second lowest price is another price than the lowest."""
        way = _way(frame)
        picked = [f"{cell} AS {label}" for cell, label in zip(cells, labels, strict=False)]
        inner = f"SELECT {', '.join(picked)}, DENSE_RANK() OVER (ORDER BY {figure}{way}) AS place {body}"
        return f"SELECT {', '.join(labels)} FROM ({inner}) AS ranked WHERE place = {frame.offset + 1}"  # noqa: S608

    def _headed(self, cells: Sequence[str], roles: Sequence[str]) -> list[str]:
        """A list's columns, those under a header that another one bears already under their table's name, or their role's, too."""
        bare = [cell.rpartition(".")[2].lower() for cell in cells]
        labels = self._column_names(cells, roles)
        return [
            f"{cell} AS {label}" if bare.index(name) < place and name != "*" else cell
            for place, (cell, name, label) in enumerate(zip(cells, bare, labels, strict=True))
        ]

    def _column_names(self, cells: Sequence[str], roles: Sequence[str] = ()) -> list[str]:
        """Names of a list's columns: those of the columns that are shown, each once."""
        out: list[str] = []
        for place, cell in enumerate(cells):
            owner = next(iter(roles[place : place + 1]), "") or singular(cell.rpartition(".")[0].strip('"`'))
            plain = (
                _safe(cell.rpartition(".")[2].strip('"`'))
                if cell.replace(".", "").replace("_", "").replace('"', "").replace("`", "").isalnum()
                else "label"
            )
            out.append(_once(plain, _safe(owner), out))
        return [self.dialect.quoted(n) for n in out]

    def _id_said(self, slot: Slot) -> str:
        """The name of a number that tells rows apart: "order id", so that nobody takes it for a figure; empty for any other column."""
        if slot.field.role not in (Role.KEY, Role.FOREIGN) or not slot.field.is_number:
            return ""
        pointing = (slot.field.table, (slot.field.column,))
        target = next((r.target for r in self.model.relations if (r.source, r.columns) == pointing), "")
        own = self.model.things[slot.field.table]
        if not target and slot.field.column not in own.key and set(slot.field.words) - set(own.noun) - KEYS:
            return slot.field.said  # the number of something else that nothing is joined with
        return f"{singular(self.model.things[target or slot.field.table].said)} id"

    def _names(self, frame: Frame, shown: int, figures: int) -> list[str]:
        """Names of the result's columns: what people called them, each once."""
        out: list[str] = []
        said: list[str] = []
        owners: list[str] = []
        for dimension in (*frame.per, *frame.by):
            if dimension.grain or dimension.bucket:
                said.append(dimension.said or dimension.grain or "range")
            else:
                said += [
                    self._id_said(s)
                    or (dimension.said or s.field.said if len(dimension.shown) == 1 else s.field.said)
                    for s in dimension.shown
                ]
            owners += [singular(self.model.things[s.field.table].said) for s in dimension.shown][
                : len(said) - len(owners)
            ]
        said = (said + ["label"] * shown)[:shown] + [figure_name(m) for m in frame.measures][:figures]
        for place, name in enumerate(said):
            out.append(_once(_safe(name), _safe(owners[place]) if place < len(owners) else "", out))
        return [self.dialect.quoted(n) for n in out]


def _way(frame: Frame) -> str:
    """The direction behind the column that a frame is sorted by: down, unless its order is ascending."""
    return "" if frame.order is not None and frame.order.ascending else " DESC"


def _role(slot: Slot) -> str:
    """Role of a row for the row of its own table that points at it: its captain; empty for rows of another table."""
    last = slot.path[-1] if slot.path else None
    if last is None or last.source != last.target:
        return ""
    words = split_name(last.columns[0])
    own = [word for word in words if stem(word) in last.words]
    return " ".join(words if own == ["by"] else own)


def _once(name: str, owner: str, taken: Sequence[str]) -> str:
    """A header that is not taken: with its table's name before it, else with a number behind it.

    Example:
        >>> _once("name", "harbor", ["name"]), _once("name", "harbor", ["name", "harbor_name"]), _once("name", "", [])
        ('harbor_name', 'name_2', 'name')
    """
    if name in taken and owner and owner not in name and f"{owner}_{name}" not in taken:
        return f"{owner}_{name}"
    base, n = name, 2
    while name in taken:
        name, n = f"{base}_{n}", n + 1
    return name


def _safe(name: str) -> str:
    """A name of a result's column made of words: letters, digits and underscores."""
    plain = "_".join(
        part for part in "".join(c.lower() if c.isalnum() and c.isascii() else " " for c in name).split()
    )[:48]
    return plain if plain and not plain[0].isdigit() else f"figure_{plain}" if plain else "figure"


def _as_seen_from(by: Iterable[Dimension], number: int) -> list[Dimension]:
    """The dimensions of one of several measures: each holds one slot a measure, in `keys`."""
    return [
        replace(d, shown=(d.keys[number],), keys=()) if len(d.keys) > number and d.op == "several" else d
        for d in by
    ]


def measure_where(frame: Frame, number: int) -> tuple[Condition, ...]:
    """The conditions of one of several measures: its own."""
    return frame.measures[number].where
