"""`python -m sqlagent.evaluation select|answer|runs|traces|follow|ablate|guard|resend|checks|templates|terms|makers|learning|harm|fit|bench`: measures and fits on open data."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlagent.errors import SqlAgentError
from sqlagent.evaluation import guarding, selecting
from sqlagent.evaluation.items import BadInput, read_items
from sqlagent.values import BUDGETS, Budget


def parser() -> argparse.ArgumentParser:
    """Describe the commands."""
    top = argparse.ArgumentParser(prog="python -m sqlagent.evaluation", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    select = commands.add_parser("select", help="selection alone, from a pool of candidates")
    select.add_argument("--pool", type=Path, required=True, help="JSON lines with candidates")
    select.add_argument("--sample", type=int, help="draw this many candidates a question")
    select.add_argument("--seed", type=int, default=0, help="seed of --sample")
    answer = commands.add_parser("answer", help="the whole pipeline, from question to SQL")
    answer.add_argument("--questions", type=Path, required=True, help="JSON lines; no gold: unanswerable")
    answer.add_argument("--llm", choices=("none", "env"), default="none", help="env: LLM_* variables")
    answer.add_argument(
        "--budget", choices=tuple(BUDGETS), help="what a question may cost; --mode faithful: faithful"
    )
    answer.add_argument("--samples", type=int, help="candidates a round, if not the budget's")
    answer.add_argument(
        "--drafts", type=int, default=0, help="drafts of the built-in generator shown to the LLM"
    )
    answer.add_argument(
        "--alone", action="store_true", help="the LLM without the built-in analyst's frame beside it"
    )
    answer.add_argument("--rounds", type=int, help="resampling rounds, if not the budget's")
    runs = commands.add_parser("runs", help="figures and calibration of kept runs with a language model")
    traces = commands.add_parser("traces", help="runs as verified rewards and preference pairs")
    for command in (runs, traces):
        command.add_argument(
            "--runs", type=Path, nargs="+", required=True, help="files of answer --llm env --json"
        )
    traces.add_argument("--out", type=Path, required=True, help="folder for rewards.jsonl and pairs.jsonl")
    follow = commands.add_parser("follow", help="chains of follow-ups, without a language model")
    follow.add_argument("--chains", type=Path, required=True, help="JSON lines of turns with golds")
    follow.add_argument("--databases", required=True, help="folder of SQLite files, or a PostgreSQL URL")
    ablate = commands.add_parser("ablate", help="what parts of the built-in generator add")
    ablate.add_argument("--questions", type=Path, required=True, help="JSON lines with gold")
    ablate.add_argument("--sample", type=int, default=150, help="draw this many questions")
    ablate.add_argument("--seed", type=int, default=0, help="seed of --sample")
    for command in (select, answer, ablate):
        command.add_argument("--processes", type=int, default=1)
        command.add_argument("--databases", required=True, help="folder of SQLite files, or a PostgreSQL URL")
    for command in (select, answer):
        command.add_argument("--mode", choices=("fast", "faithful"), default="fast")
    guard = commands.add_parser("guard", help="the guard's verdicts alone")
    guard.add_argument("--cases", type=Path, required=True)
    guard.add_argument("--schemas", type=Path, required=True, help="folder of schema.<dialect>.sql")
    for command in (select, answer, guard, follow):
        command.add_argument("--json", type=Path, help="write one JSON line a question")
    resend = commands.add_parser("resend", help="SQL as typed against the text that the guard sends")
    resend.add_argument("--questions", type=Path, required=True, help="JSON lines with gold")
    resend.add_argument("--databases", required=True, help="folder of SQLite files, or a PostgreSQL URL")
    checks = commands.add_parser("checks", help="gold SQL of which the checks of meaning doubt something")
    checks.add_argument("--questions", type=Path, required=True, help="JSON lines with gold")
    checks.add_argument("--databases", required=True, help="folder of SQLite files, or a PostgreSQL URL")
    commands.add_parser("templates", help="answers by the template of another question alone")
    commands.add_parser("terms", help="what the terms of hints do to answers")
    for command in (commands.choices["templates"], commands.choices["terms"]):
        command.add_argument("--questions", type=Path, required=True, help="JSON lines with gold")
        command.add_argument("--databases", required=True, help="folder of SQLite files, or a PostgreSQL URL")
        command.add_argument("--json", type=Path, help="write one JSON line a question")
    apart = commands.add_parser("makers", help="the analyst and the generator apart, by database")
    apart.add_argument("--questions", type=Path, required=True, help="JSON lines with gold")
    apart.add_argument("--databases", required=True, help="folder of SQLite files, or a PostgreSQL URL")
    learning = commands.add_parser("learning", help="questions nobody verified, after 30 that were")
    learning.add_argument("--questions", type=Path, required=True, help="JSON lines with gold")
    learning.add_argument("--databases", required=True, help="folder of SQLite files, or a PostgreSQL URL")
    learning.add_argument("--splits", type=int, help="of each database: 5, with a language model 1")
    learning.add_argument("--seed", type=int, default=0)
    learning.add_argument("--json", type=Path, help="write one JSON line a question")
    learning.add_argument("--llm", choices=("none", "env"), default="none", help="env: LLM_* variables")
    learning.add_argument("--learnt", type=int, default=30, help="verified questions of each database")
    learning.add_argument("--tested", type=int, default=20, help="tested questions of each database, at most")
    learning.add_argument("--only", nargs="+", default=(), help="databases of the file, if not all")
    learning.add_argument(
        "--terms",
        nargs="*",
        choices=("gated", "ungated", "remedies"),
        default=("gated", "ungated", "remedies"),
        help="without a language model: terms that are learnt",
    )
    asked = learning.add_argument_group("with a language model")
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
    harm = commands.add_parser("harm", help="simulated histories of a context that improves itself")
    harm.add_argument("--histories", type=int, default=200)
    harm.add_argument("--seed", type=int, default=2026)
    fit = commands.add_parser("fit", help="refit a part on open data, cross-validated by database")
    fit.add_argument("part", choices=("ranker", "confidence", "grammar", "sureness"))
    fit.add_argument("--data", type=Path, required=True, help="folder of the open data")
    fit.add_argument("--out", type=Path, required=True)
    bench = commands.add_parser("bench", help="time of everything but the LLM and the database")
    bench.add_argument("--profile", action="store_true", help="also print where the time goes")
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 2 with a plain sentence where the input is no good."""
    options = parser().parse_args(arguments)
    try:
        run(options)
    except (BadInput, SqlAgentError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def run(options: argparse.Namespace) -> None:
    """Run one command. Raises: BadInput, SqlAgentError."""
    if options.command == "select":
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
        write(options.json, (c.line for c in chosen))
    elif options.command == "answer":
        from sqlagent.evaluation import answer_report, answering

        items = read_items(options.questions)
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
        answered = answering.answer(
            items, options.databases, llm=options.llm, processes=options.processes, budget=budget
        )
        print(answer_report.report(answered))
        print(answer_report.report_times(answered), file=sys.stderr)
        write(options.json, (a.line for a in answered))
    elif options.command == "runs":
        from sqlagent.evaluation import kept_runs

        print(kept_runs.report(kept_runs.read(options.runs)))
    elif options.command == "traces":
        from sqlagent.evaluation import traces

        found = traces.read(options.runs)
        traces.write(found, options.out)
        print(found.told())
    elif options.command == "follow":
        from sqlagent.evaluation import chains

        followed = chains.follow(chains.read_chains(options.chains), options.databases)
        print(chains.report(followed))
        write(options.json, (chains.line(one) for one in followed))
    elif options.command == "ablate":
        ablate(options)
    elif options.command == "guard":
        verdicts = guarding.judge_cases(options.cases, options.schemas)
        print(guarding.report(verdicts))
        write(options.json, ({"allow": v.allow, "why": v.why} for v in verdicts))
    elif options.command == "resend":
        from sqlagent.evaluation import resending

        print(resending.resend(options.questions, options.databases))
    elif options.command == "checks":
        from sqlagent.evaluation import checking

        print(checking.checks(options.questions, options.databases))
    elif options.command == "templates":
        from sqlagent.evaluation import templating

        items = read_items(options.questions)
        templated = templating.template_all(items, options.databases)
        print(templating.report(templated, len(items)))
        write(options.json, (one.line for one in templated))
    elif options.command == "terms":
        from sqlagent.evaluation import terming

        termed = terming.term_all(read_items(options.questions), options.databases)
        print(terming.report(termed))
        write(options.json, (one.line for one in termed))
    elif options.command == "makers":
        from sqlagent.evaluation import makers_apart

        print(makers_apart.report(makers_apart.measure(read_items(options.questions), options.databases)))
    elif options.command == "learning":
        learn(options)
    elif options.command == "harm":
        from sqlagent.evaluation.improving import histories

        print(histories.report(options.histories, options.seed))
    elif options.command == "bench":
        from sqlagent.evaluation import bench, bench_catalog

        print(bench.report(profile=options.profile))
        print(bench_catalog.report())
    else:
        fit(options)


def learn(options: argparse.Namespace) -> None:
    """Measure what verified questions do to others. Raises: BadInput."""
    if options.llm == "none":
        from sqlagent.evaluation import learning

        items = [
            item for item in read_items(options.questions) if not options.only or item.db in options.only
        ]
        drawn = learning.Plan(
            options.splits or 5, options.seed, options.learnt, options.tested, tuple(options.terms)
        )
        learnt = learning.learn_all(items, options.databases, drawn)
        print(learning.report(learnt))
        write(options.json, (one.line for one in learnt))
        return
    from sqlagent.evaluation import learning_llm
    from sqlagent.evaluation.answering import llm_from_environment
    from sqlagent.evaluation.kept_replies import KeptReplies

    if options.replies is None:
        raise BadInput("--llm env needs --replies, a folder for what the language model replies.")
    names = ("learnt", "tested", "skipped", "contested", "apart", "alike", "edits", "samples", "side", "seed")
    plan = learning_llm.Plan(splits=options.splits or 1, **{name: getattr(options, name) for name in names})
    llm = KeptReplies(llm_from_environment(), options.replies, options.prompts)
    items = read_items(options.questions, pool=options.contested)
    if options.only:
        items = [item for item in items if item.db in options.only]
    found = learning_llm.measure(items, options.databases, llm, plan)
    print(learning_llm.report(found))
    write(options.json, found.lines)


def ablate(options: argparse.Namespace) -> None:
    """Measure the generator without each of its parts. Raises: BadInput."""
    from sqlagent.evaluation import ablating

    items = [item for item in read_items(options.questions) if item.gold is not None]
    if not items:
        raise BadInput(f"{options.questions} holds no question with gold SQL.")
    found = ablating.ablate(
        items, options.databases, sample=options.sample, seed=options.seed, processes=options.processes
    )
    print(ablating.report(found))


def fit(options: argparse.Namespace) -> None:
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


def write(path: Path | None, lines: Iterable[dict[str, Any]]) -> None:
    """Write JSON lines. Raises: BadInput."""
    if path is None:
        return
    try:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from error


if __name__ == "__main__":
    sys.exit(main())
