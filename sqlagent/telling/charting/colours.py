"""Which colour a series or a slice has: that of its place, unless a chart of more rows gave it one before."""

from __future__ import annotations

from sqlagent.telling.charting.markup import Json


def coloured_like(figure: Json, before: Json) -> Json:
    """Give each series and slice of a figure the place among the colours that its name has in another one.

    Names that are not there come behind. A trace tells its place as `meta.place`, a pie those of its slices as `meta.places`.

    Example:
        >>> two = {"data": [{"type": "bar", "name": "web"}, {"type": "bar", "name": "store"}]}
        >>> [trace["meta"] for trace in coloured_like({"data": [{"type": "bar", "name": "store"}]}, two)["data"]]
        [{'place': 1}]
    """
    places = {name: place for place, name in enumerate(_names(before))}
    for name in _names(figure):
        places.setdefault(name, len(places))
    data = []
    for trace in figure["data"]:
        if trace.get("type") == "pie":
            meta: Json = {"places": [places[name] for name in trace["labels"]]}
        else:
            meta = {"place": places.get(trace.get("name", ""), 0)}
        data.append({**trace, "meta": meta})
    return {**figure, "data": data}


def _names(figure: Json) -> list[str]:
    found = [
        name
        for trace in figure["data"]
        for name in (trace["labels"] if trace.get("type") == "pie" else [trace.get("name", "")])
    ]
    return list(dict.fromkeys(found))
