"""The commands of the evaluation: their options, and what each measures, fits or writes.

Modules of a command are imported where it runs: fitting needs numpy, which only the development requirements bring.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlagent.evaluation.items import BadInput, Item, read_items, write_lines
from sqlagent.values import BUDGETS, Budget


@dataclass(frozen=True, slots=True)
class Command:
    """A command by name: `options` add to its parser, `run` does it and may raise BadInput or SqlAgentError."""

    name: str
    help: str
    run: Callable[[Namespace], None]
    options: tuple[Callable[[ArgumentParser], object], ...]


# ---------------------------------------------------------------- options of several commands


def _databases(parser: ArgumentParser) -> None:
    parser.add_argument("--databases", required=True, help="folder of SQLite files, or a PostgreSQL URL")


def _gold(parser: ArgumentParser) -> None:
    parser.add_argument("--questions", type=Path, required=True, help="JSON lines with gold")


def _lines(parser: ArgumentParser) -> None:
    parser.add_argument("--json", type=Path, help="write one JSON line a question")


def _processes(parser: ArgumentParser) -> None:
    parser.add_argument("--processes", type=int, default=1)


def _mode(parser: ArgumentParser) -> None:
    parser.add_argument("--mode", choices=("fast", "faithful"), default="fast")


def _llm(parser: ArgumentParser) -> None:
    parser.add_argument("--llm", choices=("none", "env"), default="none", help="env: LLM_* variables")


def _runs(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--runs", type=Path, nargs="+", required=True, help="files of answer --llm env --json"
    )


def _keep(options: Namespace, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write the lines to the file of `--json`, where one is told. Raises: BadInput."""
    if options.json is not None:
        write_lines(options.json, lines)


# ---------------------------------------------------------------- answers and their selection


def _select_options(parser: ArgumentParser) -> None:
    parser.add_argument("--pool", type=Path, required=True, help="JSON lines with candidates")
    parser.add_argument("--sample", type=int, help="draw this many candidates a question")
    parser.add_argument("--seed", type=int, default=0, help="seed of --sample")


def select(options: Namespace) -> None:
    """Measure selection alone, from a pool of candidates."""
    from sqlagent.evaluation import selecting

    items = read_items(options.pool, pool=True)
    chosen = selecting.select(
        items,
        options.databases,
        mode=options.mode,
        sample=options.sample,
        seed=options.seed,
        processes=options.processes,
    )
    print(selecting.report(chosen))
    _keep(options, (c.line for c in chosen))


def _answer_options(parser: ArgumentParser) -> None:
    parser.add_argument("--questions", type=Path, required=True, help="JSON lines; no gold: unanswerable")
    parser.add_argument(
        "--budget", choices=tuple(BUDGETS), help="what a question may cost; --mode faithful: faithful"
    )
    parser.add_argument("--samples", type=int, help="candidates a round, if not the budget's")
    parser.add_argument(
        "--drafts", type=int, default=0, help="drafts of the built-in generator shown to the LLM"
    )
    parser.add_argument(
        "--alone", action="store_true", help="the LLM without the built-in analyst's frame beside it"
    )
    parser.add_argument("--rounds", type=int, help="resampling rounds, if not the budget's")


def answer(options: Namespace) -> None:
    """Measure the whole pipeline, from question to SQL."""
    from sqlagent.evaluation import answer_report, answering

    items = read_items(options.questions)
    answered = answering.answer(
        items, options.databases, llm=options.llm, processes=options.processes, budget=_budget(options)
    )
    print(answer_report.report(answered))
    print(answer_report.report_times(answered), file=sys.stderr)
    _keep(options, (a.line for a in answered))


def _budget(options: Namespace) -> Budget:
    """The budget of `answer`, with room for all that is measured."""
    sizes = {"samples": options.samples, "rounds": options.rounds}
    budget = Budget.of(
        options.budget or ("faithful" if options.mode == "faithful" else "normal"),
        drafts=options.drafts,
        **({"frame": False} if options.alone else {}),
        **{name: size for name, size in sizes.items() if size is not None},
    )
    if options.llm == "env":
        # the pipeline's own clock would cut a slow model's resampling short, which is what is measured
        budget = replace(budget, seconds=3_600.0)
    if budget.mode == "faithful":
        # every cross-group pair, twice: 32 samples in ten groups make some 950 calls (llm_judging)
        budget = replace(budget, calls=10_000, tokens=100_000_000)
    return budget


def runs(options: Namespace) -> None:
    """Tell figures and calibration of kept runs."""
    from sqlagent.evaluation import kept_runs

    print(kept_runs.report(kept_runs.read(options.runs)))


def _traces_options(parser: ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, required=True, help="folder for rewards.jsonl and pairs.jsonl")


def traces(options: Namespace) -> None:
    """Write kept runs as verified rewards and preference pairs."""
    from sqlagent.evaluation import traces

    found = traces.read(options.runs)
    traces.write(found, options.out)
    print(found.told())


def _follow_options(parser: ArgumentParser) -> None:
    parser.add_argument("--chains", type=Path, required=True, help="JSON lines of turns with golds")


def follow(options: Namespace) -> None:
    """Measure chains of follow-ups, without a language model."""
    from sqlagent.evaluation import chains

    followed = chains.follow(chains.read_chains(options.chains), options.databases)
    print(chains.report(followed))
    _keep(options, (chains.line(one) for one in followed))


# ---------------------------------------------------------------- parts


def _ablate_options(parser: ArgumentParser) -> None:
    parser.add_argument("--sample", type=int, default=150, help="draw this many questions")
    parser.add_argument("--seed", type=int, default=0, help="seed of --sample")


def ablate(options: Namespace) -> None:
    """Measure the generator without each of its parts. Raises: BadInput."""
    from sqlagent.evaluation import ablating

    items = [item for item in read_items(options.questions) if item.gold is not None]
    if not items:
        raise BadInput(f"{options.questions} holds no question with gold SQL.")
    found = ablating.ablate(
        items, options.databases, sample=options.sample, seed=options.seed, processes=options.processes
    )
    print(ablating.report(found))


def makers(options: Namespace) -> None:
    """Measure the analyst and the generator apart, by database."""
    from sqlagent.evaluation import makers_apart

    print(makers_apart.report(makers_apart.measure(read_items(options.questions), options.databases)))


def _guard_options(parser: ArgumentParser) -> None:
    parser.add_argument("--cases", type=Path, required=True)
    parser.add_argument("--schemas", type=Path, required=True, help="folder of schema.<dialect>.sql")


def guard(options: Namespace) -> None:
    """Measure the guard's verdicts alone."""
    from sqlagent.evaluation import guarding

    verdicts = guarding.judge_cases(options.cases, options.schemas)
    print(guarding.report(verdicts))
    _keep(options, ({"allow": v.allow, "why": v.why} for v in verdicts))


def resend(options: Namespace) -> None:
    """Compare the rows of SQL as it was typed with those of the text that the guard sends."""
    from sqlagent.evaluation import resending

    print(resending.resend(options.questions, options.databases))


def checks(options: Namespace) -> None:
    """List gold SQL of which the checks of meaning doubt something."""
    from sqlagent.evaluation import checking

    print(checking.checks(options.questions, options.databases))


# ---------------------------------------------------------------- knowledge


def templates(options: Namespace) -> None:
    """Measure answers by the template of another question alone."""
    from sqlagent.evaluation import templating

    items = read_items(options.questions)
    templated = templating.template_all(items, options.databases)
    print(templating.report(templated, len(items)))
    _keep(options, (one.line for one in templated))


def terms(options: Namespace) -> None:
    """Measure what the terms of hints do to answers."""
    from sqlagent.evaluation import terming

    termed = terming.term_all(read_items(options.questions), options.databases)
    print(terming.report(termed))
    _keep(options, (one.line for one in termed))


def _learning_options(parser: ArgumentParser) -> None:
    parser.add_argument("--splits", type=int, help="of each database: 5, with a language model 1")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--learnt", type=int, default=30, help="verified questions of each database")
    parser.add_argument("--tested", type=int, default=20, help="tested questions of each database, at most")
    parser.add_argument("--only", nargs="+", default=(), help="databases of the file, if not all")
    parser.add_argument(
        "--terms",
        nargs="*",
        choices=("gated", "ungated", "remedies"),
        default=("gated", "ungated", "remedies"),
        help="without a language model: terms that are learnt",
    )
    asked = parser.add_argument_group("with a language model")
    asked.add_argument("--replies", type=Path, help="folder of kept replies, from which a run goes on")
    asked.add_argument("--prompts", type=int, help="prompts that may be asked in all, kept ones counted")
    asked.add_argument("--skipped", type=int, default=0, help="questions of the draw that are not tested")
    asked.add_argument(
        "--contested",
        action="store_true",
        help="test first what only some candidates of the file answer rightly",
    )
    asked.add_argument("--apart", action="store_true", help="one question of each gold SQL")
    asked.add_argument("--alike", action="store_true", help="ask with those alike a person is shown, too")
    asked.add_argument("--edits", type=int, default=0, help="proposals of the editor for each split")
    asked.add_argument("--samples", type=int, default=1, help="attempts a question")
    asked.add_argument("--side", type=int, default=6, help="questions asked side by side")


def learning(options: Namespace) -> None:
    """Measure what verified questions do to others."""
    items = read_items(options.questions, pool=options.llm == "env" and options.contested)
    items = [item for item in items if not options.only or item.db in options.only]
    (_learning if options.llm == "none" else _learning_llm)(options, items)


def _learning(options: Namespace, items: list[Item]) -> None:
    from sqlagent.evaluation import learning

    drawn = learning.Plan(
        options.splits or 5, options.seed, options.learnt, options.tested, tuple(options.terms)
    )
    learnt = learning.learn_all(items, options.databases, drawn)
    print(learning.report(learnt))
    _keep(options, (one.line for one in learnt))


def _learning_llm(options: Namespace, items: list[Item]) -> None:
    from sqlagent.evaluation import learning_llm
    from sqlagent.evaluation.answering import llm_from_environment
    from sqlagent.evaluation.kept_replies import KeptReplies

    if options.replies is None:
        raise BadInput("--llm env needs --replies, a folder for what the language model replies.")
    names = ("learnt", "tested", "skipped", "contested", "apart", "alike", "edits", "samples", "side", "seed")
    plan = learning_llm.Plan(splits=options.splits or 1, **{name: getattr(options, name) for name in names})
    llm = KeptReplies(llm_from_environment(), options.replies, options.prompts)
    found = learning_llm.measure(items, options.databases, llm, plan)
    print(learning_llm.report(found))
    _keep(options, found.lines)


def _harm_options(parser: ArgumentParser) -> None:
    parser.add_argument("--histories", type=int, default=200)
    parser.add_argument("--seed", type=int, default=2026)


def harm(options: Namespace) -> None:
    """Simulate histories of a context that improves itself."""
    from sqlagent.evaluation.improving import histories

    print(histories.report(options.histories, options.seed))


# ---------------------------------------------------------------- fitted parts and times


def _fit_options(parser: ArgumentParser) -> None:
    parser.add_argument("part", choices=("ranker", "confidence", "grammar", "sureness"))
    parser.add_argument("--data", type=Path, required=True, help="folder of the open data")
    parser.add_argument("--out", type=Path, required=True)


def fit(options: Namespace) -> None:
    """Refit a part; fitting needs numpy, which only the development requirements bring."""
    if options.part == "ranker":
        from sqlagent.evaluation import fit_ranker

        print(fit_ranker.fit(options.data, options.out))
    elif options.part == "confidence":
        from sqlagent.evaluation import fit_confidence

        print(fit_confidence.fit(options.data, options.out))
    elif options.part == "sureness":
        from sqlagent.evaluation import fit_sureness

        print(fit_sureness.fit(options.data, options.out))
    else:
        from sqlagent.evaluation import fit_grammar

        print(fit_grammar.fit(options.data, options.out))


def _bench_options(parser: ArgumentParser) -> None:
    parser.add_argument("--profile", action="store_true", help="also print where the time goes")


def bench(options: Namespace) -> None:
    """Measure the time of everything but the language model and the database."""
    from sqlagent.evaluation import bench, bench_catalog

    print(bench.report(profile=options.profile))
    print(bench_catalog.report())


_ON_GOLD = (_gold, _databases)
COMMANDS = (
    Command("select", "selection alone, from a pool of candidates", select, (_select_options, _databases, _mode, _processes, _lines)),
    Command("answer", "the whole pipeline, from question to SQL", answer, (_answer_options, _databases, _llm, _mode, _processes, _lines)),
    Command("runs", "figures and calibration of kept runs with a language model", runs, (_runs,)),
    Command("traces", "runs as verified rewards and preference pairs", traces, (_runs, _traces_options)),
    Command("follow", "chains of follow-ups, without a language model", follow, (_follow_options, _databases, _lines)),
    Command("ablate", "what parts of the built-in generator add", ablate, (*_ON_GOLD, _ablate_options, _processes)),
    Command("guard", "the guard's verdicts alone", guard, (_guard_options, _lines)),
    Command("resend", "SQL as typed against the text that the guard sends", resend, _ON_GOLD),
    Command("checks", "gold SQL of which the checks of meaning doubt something", checks, _ON_GOLD),
    Command("templates", "answers by the template of another question alone", templates, (*_ON_GOLD, _lines)),
    Command("terms", "what the terms of hints do to answers", terms, (*_ON_GOLD, _lines)),
    Command("makers", "the analyst and the generator apart, by database", makers, _ON_GOLD),
    Command("learning", "questions nobody verified, after 30 that were", learning, (*_ON_GOLD, _lines, _llm, _learning_options)),
    Command("harm", "simulated histories of a context that improves itself", harm, (_harm_options,)),
    Command("fit", "refit a part on open data, cross-validated by database", fit, (_fit_options,)),
    Command("bench", "time of everything but the LLM and the database", bench, (_bench_options,)),
)  # fmt: skip
