"""How right completions are, and how long one takes: `python -m tests.agent.bench_completions`."""

from __future__ import annotations

from time import perf_counter

from sqlagent.sql.completing import Known, complete
from tests.agent.completing_shop import cases, catalog, known, table, values
from tests.agent.test_completing import wrong

ROUNDS = 20


def large() -> Known:
    """The shop among 300 tables of 40 columns."""
    shop = catalog()
    columns = ", ".join(f"column_{n}:i" for n in range(40))
    more = tuple(table(f"table_{n}", columns, pk="column_0") for n in range(300))
    return Known(type(shop)(shop.dialect, shop.tables + more, "v2"))


def main() -> None:
    """Print the share that is right, what is not, and the time at the shop and in a large catalog."""
    told = [words for case in cases() if (words := wrong(case))]
    print(f"right: {len(cases()) - len(told)} of {len(cases())}", *told, sep="\n  ")
    for name, shop in (("shop", known()), ("12,000 columns", large())):
        times = []
        for _ in range(ROUNDS):
            for case in cases():
                at, sql = case["sql"].index("|"), case["sql"].replace("|", "", 1)
                began = perf_counter()
                complete(sql, at, shop, values)
                times.append((perf_counter() - began) * 1_000)
        times.sort()
        print(
            f"{name}: p50 {times[len(times) // 2]:.2f} ms, p95 {times[int(len(times) * 0.95)]:.2f} ms, most {times[-1]:.1f} ms"
        )


if __name__ == "__main__":
    main()
