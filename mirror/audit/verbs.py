"""What can be done that the audit tells of, and how each is said."""

from __future__ import annotations

VERBS = {
    "signed in": "Signing in",
    "signed out": "Signing in",
    "made a sign-in link": "Signing in",
    "chose a password": "Signing in",
    "ended a session": "Signing in",
    "connected an identity": "Signing in",
    "disconnected an identity": "Signing in",
    "lost the word of the provider": "Signing in",
    "set up one-time codes": "Signing in",
    "made recovery codes": "Signing in",
    "used a recovery code": "Signing in",
    "reset one-time codes": "Signing in",
    "made a token": "Tokens",
    "ended a token": "Tokens",
    "used a token": "Tokens",
    "made a service": "Tokens",
    "made a person": "People and teams",
    "shut out": "People and teams",
    "let in again": "People and teams",
    "made an administrator": "People and teams",
    "made a member": "People and teams",
    "added a group rule": "People and teams",
    "removed a group rule": "People and teams",
    "changed a mail address": "People and teams",
    "made a team": "People and teams",
    "added to a team": "People and teams",
    "removed from a team": "People and teams",
    "connected a source": "Sources",
    "changed a source": "Sources",
    "shared a source": "Sources",
    "deleted a source": "Sources",
    "changed what may run": "Sources",
    "changed limits": "Sources",
    "confirmed powers": "Sources",
    "changed what agents see": "Sources",
    "ran SQL": "Sources",
    "added a language model": "Language models",
    "changed a language model": "Language models",
    "removed a language model": "Language models",
    "tested a language model": "Language models",
    "set a budget": "Language models",
    "took back a budget": "Language models",
    "tried what only others may do": "Refused rights",
    "shared saved SQL": "Saved SQL",
    "deleted saved SQL": "Saved SQL",
    "verified saved SQL": "Saved SQL",
    "made a dashboard": "Dashboards",
    "shared a dashboard": "Dashboards",
    "deleted a dashboard": "Dashboards",
    "changed a term": "Knowledge",
    "deleted a term": "Knowledge",
    "verified an answer": "Knowledge",
    "took back a verified answer": "Knowledge",
    "answered feedback": "Knowledge",
    "imported knowledge": "Knowledge",
    "started an evaluation": "Knowledge",
    "planned evaluations": "Knowledge",
    "looked at a verified answer": "Knowledge",
    "refused a proposed term": "Knowledge",
    "downloaded rows": "Exports and downloads",
    "exported rows": "Exports and downloads",
    "downloaded a report's file": "Exports and downloads",
    "opened a file link": "Exports and downloads",
    "made a file link": "Exports and downloads",
    "ended a file link": "Exports and downloads",
    "set up a report": "Reports",
    "changed a report": "Reports",
    "shared a report": "Reports",
    "paused a report": "Reports",
    "resumed a report": "Reports",
    "deleted a report": "Reports",
    "handed a report over": "Reports",
    "allowed a place": "Reports",
    "allowed a place no longer": "Reports",
    "paused all sending": "Reports",
    "let sending go on": "Reports",
    "transferred": "Administration",
    "looked at what somebody owns": "Administration",
    "exported the audit": "Administration",
    "ended days of the audit": "Administration",
    "backed up": "Administration",
    "restored": "Administration",
}

# How a refusal reads where its verb tells of something that was done.
REFUSED = {
    "ran SQL": "SQL was refused",
    "tried what only others may do": "a change was refused",
}


def said(verb: str, is_refused: bool) -> str:
    """What a row tells, for a person.

    Example:
        >>> said("ran SQL", True), said("ran SQL", False), said("signed in", True)
        ('SQL was refused', 'ran SQL', 'refused: signed in')
    """
    return REFUSED.get(verb, f"refused: {verb}") if is_refused else verb
