"""Learned scores: log-linear models over explainable features, read from `weights.json`.

Decides how likely a frame is for a question, a role for a slot, a column for a name.
`sqlagent.evaluation fit grammar` fits the weights, from training databases only.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any


class Softmax:
    """A multinomial logistic model: log-probabilities of classes given features that are there or not."""

    def __init__(self, classes: list[str], weights: Mapping[str, Mapping[str, float]]) -> None:
        self.classes = classes
        at = {name: n for n, name in enumerate(classes)}
        self._rows = {f: tuple((at[c], w) for c, w in row.items()) for f, row in weights.items()}

    def log_probabilities(self, features: Iterable[str]) -> list[tuple[str, float]]:
        """Classes with their log-probabilities, likeliest first."""
        scores = [0.0] * len(self.classes)
        rows = self._rows
        for feature in features:
            for place, weight in rows.get(feature, ()):
                scores[place] += weight
        top = max(scores)
        total = top + math.log(sum(math.exp(s - top) for s in scores))
        return sorted(
            ((c, s - total) for c, s in zip(self.classes, scores, strict=True)), key=lambda p: -p[1]
        )

    def why(self, features: Iterable[str], name: str, count: int = 3) -> list[tuple[str, float]]:
        """The features that speak most for a class, for notes."""
        place = self.classes.index(name)
        found = [(f, w) for f in features for p, w in self._rows.get(f, ()) if p == place and w > 0]
        return sorted(found, key=lambda p: -p[1])[:count]


class Weights:
    """Everything learned, as read from the file."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.frame = Softmax(data["frame"]["classes"], data["frame"]["weights"])
        self.role = {
            kind: Softmax(model["classes"], model["weights"]) for kind, model in data["role"].items()
        }
        self.distinct = Softmax(data["distinct"]["classes"], data["distinct"]["weights"])
        self.pick: dict[str, float] = dict(data.get("pick", {}))
        self.rank: dict[str, float] = dict(data.get("rank", {}))


@lru_cache(maxsize=1)
def weights() -> Weights:
    """The weights that ship with the package."""
    text = files("sqlagent.makers.grammar").joinpath("weights.json").read_text(encoding="utf-8")
    return Weights(json.loads(text))
