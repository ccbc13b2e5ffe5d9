"""The values of parameters in words."""

from __future__ import annotations

from datetime import date

import pytest

from mirror.queries.values_said import period_said, values_said

MONTH = [
    {"name": "since", "kind": "date", "default": "start of last month"},
    {"name": "until", "kind": "date"},
]

# Two days that are no period.
DAYS = [{"name": "signed_up", "kind": "date"}, {"name": "ordered", "kind": "date"}]


@pytest.mark.parametrize(
    ("parameters", "given", "said"),
    [
        ([], {}, ""),
        (MONTH, {"since": "2025-10-01", "until": "2025-10-31"}, "1 to 31 October 2025"),
        (MONTH, {"until": "end of last month"}, "1 to 28 February 2026"),
        (MONTH, {"since": "2025-10-31", "until": "2025-10-01"}, "since 31 October 2025, until 1 October 2025"),
        (MONTH, {"since": "2025-10-31", "until": "nonsense"}, "since 31 October 2025"),
        ([{"name": "day", "kind": "date", "label": "Day"}], {"day": "yesterday"}, "day 4 March 2026"),
        ([{"name": "most", "kind": "number"}], {"most": "10000"}, "most 10,000"),
        ([{"name": "vat", "kind": "boolean", "label": "VAT"}], {"vat": "on"}, "VAT yes"),
        ([{"name": "who", "kind": "text", "default": ""}], {}, ""),
        ([{"name": "who", "kind": "text"}], {"who": "a\r\nBcc: b" + "x" * 90}, "who a Bcc: b" + "x" * 51 + "…"),
        ([*MONTH, {"name": "country", "kind": "text"}], {"since": "2025-12-30", "until": "2026-01-02", "country": "Norway"},
         "30 December 2025 to 2 January 2026, country Norway"),
        (DAYS, {"signed_up": "2025-01-01", "ordered": "2025-02-01"}, "signed up 1 January 2025, ordered 1 February 2025"),
        ([{**MONTH[0], "name": "start_date"}, {**MONTH[1], "name": "x", "label": "Last day"}],
         {"start_date": "2025-10-01", "x": "2025-10-31"}, "1 to 31 October 2025"),
        ([{**MONTH[0], "name": "signed_up_from"}, {**MONTH[1], "name": "ordered_from"}],
         {"signed_up_from": "2025-01-01", "ordered_from": "2025-02-01"}, "signed up from 1 January 2025, ordered from 1 February 2025"),
    ],
)  # fmt: skip
def test_values_are_said_in_words(parameters, given, said) -> None:
    assert values_said(parameters, given, date(2026, 3, 5)) == said


def test_a_period_over_two_months_names_both() -> None:
    assert period_said(date(2026, 1, 31), date(2026, 2, 1)) == "31 January to 1 February 2026"
