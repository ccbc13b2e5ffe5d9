"""Letters within a name: "boats with an x in their name" are those whose name contains it."""

from __future__ import annotations

import re

_IN_NAME = re.compile(
    r"\b(?:with|that have|who have|which have|having|that has|who has) (?:(?:an?|the) )?(?:letters? )?"
    r"(?P<mark>[\"'“”‘’]?)(?P<said>[a-z0-9]|(?<=[\"'“‘])[\w -]{1,30})[\"'“”‘’]? in (?:their|its|the|his|her) (?P<name>[a-z][\w-]*)",
    re.IGNORECASE,
)


def letters(text: str) -> str:
    """Word such a question by what the name contains; any other stays as it is.

    Example:
        >>> letters("boats with an x in their name")
        "boats whose name contains 'x'"
        >>> letters("boats with 'sea' in the title by year"), letters("boats with a crew in their name")
        ("boats whose title contains 'sea' by year", 'boats with a crew in their name')
    """
    return _IN_NAME.sub(lambda found: f"whose {found['name']} contains '{found['said']}'", text)
