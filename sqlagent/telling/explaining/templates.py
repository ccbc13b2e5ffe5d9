"""Templates for parts of a statement, by the expression that each tells."""

from __future__ import annotations

from sqlglot import exp

from sqlagent.language.saying import template

FIGURES: dict[type[exp.Expr], str] = {
    exp.Sum: template("the sum of {value}"),
    exp.Avg: template("the average of {value}"),
    exp.Min: template("the least {value}"),
    exp.Max: template("the greatest {value}"),
    exp.Median: template("the median of {value}"),
    exp.Stddev: template("the standard deviation of {value}"),
}
SIGNS: dict[type[exp.Expr], str] = {
    exp.Add: template("{one} plus {other}"),
    exp.Sub: template("{one} minus {other}"),
    exp.Mul: template("{one} times {other}"),
    exp.Div: template("{one} divided by {other}"),
}
IS = template("{one} is {other}")
IS_NOT = template("{one} is not {other}")
COMPARED: dict[type[exp.Expr], tuple[str, str]] = {
    exp.EQ: (IS, IS),
    exp.NEQ: (IS_NOT, IS_NOT),
    exp.GT: (template("{one} is more than {other}"), template("{one} is after {other}")),
    exp.GTE: (template("{one} is at least {other}"), template("{one} is on or after {other}")),
    exp.LT: (template("{one} is less than {other}"), template("{one} is before {other}")),
    exp.LTE: (template("{one} is at most {other}"), template("{one} is on or before {other}")),
}
"""Words of comparisons: with anything, and with a day."""

ONE_FORM: dict[type[exp.Expr], str] = {
    exp.Lower: template("{value} in small letters"),
    exp.Upper: template("{value} in capitals"),
    exp.Trim: template("{value} without spaces around it"),
    exp.Length: template("the length of {value}"),
    exp.Abs: template("{value} without its sign"),
}
PERIODS = {
    "hour": template("the hour of {time}"),
    "day": template("the day of {time}"),
    "week": template("the week of {time}"),
    "month": template("the month of {time}"),
    "quarter": template("the quarter of {time}"),
    "year": template("the year of {time}"),
}
ALIKE = {
    "pattern": (
        template("{text} is like the pattern {part}"),
        template("{text} is not like the pattern {part}"),
    ),
    "whole": (template("{text} equals {part}"), template("{text} does not equal {part}")),
    "inside": (template("{text} contains {part}"), template("{text} does not contain {part}")),
    "begin": (template("{text} begins with {part}"), template("{text} does not begin with {part}")),
    "end": (template("{text} ends with {part}"), template("{text} does not end with {part}")),
}
"""Words of LIKE, and of NOT LIKE, by where its pattern leaves text open."""
