"""Learn to choose among options by weighted features: which column a name means, which tree a question.

One conditional log-linear model: options of a case are weighed against each other, so only
differences between them count. Needs numpy and scipy (requirements-dev.txt).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize


@dataclass(slots=True)
class Case:
    """Options as features by name, and which of them are right (at least one)."""

    db: str
    options: list[dict[str, float]]
    right: list[int]


def fit_choice(cases: Sequence[Case], penalty: float = 1.0, smallest: float = 0.01) -> dict[str, float]:
    """Fit weights by name so that right options score above the others of their case.

    The likelihood is of the right options together; features come out rounded to three digits.
    """
    names = sorted({f for c in cases for o in c.options for f in o})
    at = {f: n for n, f in enumerate(names)}
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    owner: list[int] = []
    right: list[bool] = []
    for number, case in enumerate(cases):
        good = set(case.right)
        for k, option in enumerate(case.options):
            for feature, value in option.items():
                rows.append(len(owner))
                columns.append(at[feature])
                values.append(value)
            owner.append(number)
            right.append(k in good)
    from scipy.sparse import csr_matrix

    x = csr_matrix((values, (rows, columns)), shape=(len(owner), len(names)))
    group = np.array(owner)
    mask = np.array(right)
    starts = np.flatnonzero(np.r_[True, group[1:] != group[:-1]])

    def loss(w: Any) -> tuple[float, Any]:
        scores = x @ w
        top = np.maximum.reduceat(scores, starts)[group]
        expd = np.exp(scores - top)
        total = np.add.reduceat(expd, starts)
        good = np.add.reduceat(np.where(mask, expd, 0.0), starts)
        value = -float(np.log(np.maximum(good, 1e-300) / total).sum()) + 0.5 * penalty * float(w @ w)
        share = expd / total[group] - np.where(mask, expd / np.maximum(good, 1e-300)[group], 0.0)
        return value, x.T @ share + penalty * w

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return {f: round(float(v), 3) for f, v in zip(names, found.x, strict=True) if abs(v) >= smallest}
