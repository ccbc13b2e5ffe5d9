"""Acts that the audit tells of, and their words."""

from __future__ import annotations

from django.utils.translation import gettext, pgettext_lazy

# Kept in the store in English, and said in the language of the reader.
from django.utils.translation import gettext_noop as _

from mirror.phrases import day_said

VERBS = {
    _("signed in"): _("Signing in"),
    _("signed out"): _("Signing in"),
    _("made a sign-in link"): _("Signing in"),
    _("chose a password"): _("Signing in"),
    _("ended a session"): _("Signing in"),
    _("connected an identity"): _("Signing in"),
    _("disconnected an identity"): _("Signing in"),
    _("lost the word of the provider"): _("Signing in"),
    _("set up one-time codes"): _("Signing in"),
    _("made recovery codes"): _("Signing in"),
    _("used a recovery code"): _("Signing in"),
    _("reset one-time codes"): _("Signing in"),
    _("added a passkey"): _("Signing in"),
    _("renamed a passkey"): _("Signing in"),
    _("removed a passkey"): _("Signing in"),
    _("made a token"): _("Tokens"),
    _("ended a token"): _("Tokens"),
    _("used a token"): _("Tokens"),
    _("made a service"): _("Tokens"),
    _("made a person"): _("People and teams"),
    _("shut out"): _("People and teams"),
    _("let in again"): _("People and teams"),
    _("made an administrator"): _("People and teams"),
    _("made a member"): _("People and teams"),
    _("added a group rule"): _("People and teams"),
    _("removed a group rule"): _("People and teams"),
    _("changed a mail address"): _("People and teams"),
    _("made a team"): _("People and teams"),
    _("added to a team"): _("People and teams"),
    _("removed from a team"): _("People and teams"),
    _("connected a source"): _("Sources"),
    _("changed a source"): _("Sources"),
    _("shared a source"): _("Sources"),
    _("withheld a right on a source"): _("Sources"),
    _("gave a role on a source"): _("Sources"),
    _("withheld tables or columns"): _("Sources"),
    _("gave a login to a team"): _("Sources"),
    _("took a login from a team"): _("Sources"),
    _("deleted a source"): _("Sources"),
    _("changed what may run"): _("Sources"),
    _("changed limits"): _("Sources"),
    _("confirmed powers"): _("Sources"),
    _("changed what agents see"): _("Sources"),
    _("ran SQL"): _("Sources"),
    _("deleted a thread"): _("Threads"),
    _("shared a thread"): _("Threads"),
    _("shared a question"): _("Threads"),
    _("wrote a comment"): _("Comments"),
    _("edited a comment"): _("Comments"),
    _("deleted a comment"): _("Comments"),
    _("wants mails of mentions"): _("Comments"),
    _("wants no mails of mentions"): _("Comments"),
    _("made a share link"): _("Links"),
    _("ended a share link"): _("Links"),
    _("opened a share link"): _("Links"),
    _("wants mails of sharing"): _("Links"),
    _("wants no mails of sharing"): _("Links"),
    _("added a language model"): _("Language models"),
    _("changed a language model"): _("Language models"),
    _("removed a language model"): _("Language models"),
    _("tested a language model"): _("Language models"),
    _("set a budget"): _("Language models"),
    _("took back a budget"): _("Language models"),
    _("tried what only others may do"): _("Refused rights"),
    _("changed saved SQL"): _("Saved SQL"),
    _("shared saved SQL"): _("Saved SQL"),
    _("deleted saved SQL"): _("Saved SQL"),
    _("verified saved SQL"): _("Saved SQL"),
    _("made a dashboard"): _("Dashboards"),
    _("shared a dashboard"): _("Dashboards"),
    _("deleted a dashboard"): _("Dashboards"),
    _("changed a term"): _("Knowledge"),
    _("deleted a term"): _("Knowledge"),
    _("verified an answer"): _("Knowledge"),
    _("took back a verified answer"): _("Knowledge"),
    _("answered feedback"): _("Knowledge"),
    _("imported knowledge"): _("Knowledge"),
    _("started an evaluation"): _("Knowledge"),
    _("planned evaluations"): _("Knowledge"),
    _("looked at a verified answer"): _("Knowledge"),
    _("refused a proposed term"): _("Knowledge"),
    _("refused a proposed question"): _("Knowledge"),
    _("changed the examples"): _("Knowledge"),
    _("started an improvement"): _("Knowledge"),
    _("stopped an improvement"): _("Knowledge"),
    _("downloaded rows"): _("Exports and downloads"),
    _("downloaded a dashboard"): _("Exports and downloads"),
    _("exported a thread"): _("Exports and downloads"),
    _("exported rows"): _("Exports and downloads"),
    _("downloaded a report's file"): _("Exports and downloads"),
    _("opened a file link"): _("Exports and downloads"),
    _("made a file link"): _("Exports and downloads"),
    _("ended a file link"): _("Exports and downloads"),
    _("set up a report"): _("Reports"),
    _("changed a report"): _("Reports"),
    _("shared a report"): _("Reports"),
    _("paused a report"): _("Reports"),
    _("resumed a report"): _("Reports"),
    _("deleted a report"): _("Reports"),
    _("handed a report over"): _("Reports"),
    _("allowed a place"): _("Reports"),
    _("allowed a place no longer"): _("Reports"),
    _("paused all sending"): _("Reports"),
    _("let sending go on"): _("Reports"),
    _("transferred"): _("Administration"),
    _("looked at what somebody owns"): _("Administration"),
    _("looked at who may do what"): _("Administration"),
    _("exported the audit"): _("Administration"),
    _("ended days of the audit"): _("Administration"),
    _("ended threads"): _("Administration"),
    _("backed up"): _("Administration"),
    _("restored"): _("Administration"),
}

# How a refusal reads where its verb tells of something that was done.
REFUSED = {
    _("ran SQL"): _("SQL was refused"),
    _("tried what only others may do"): _("a change was refused"),
}


# Details of rows, by the names that acts give them.
DETAILS = {
    "address": pgettext_lazy("audit", "address"),
    "before": pgettext_lazy("audit", "before"),
    "browser": pgettext_lazy("audit", "browser"),
    "changed": pgettext_lazy("audit", "changed"),
    "doing": pgettext_lazy("audit", "doing"),
    "dropped": pgettext_lazy("audit", "dropped"),
    "edit": pgettext_lazy("audit", "edit"),
    "engine": pgettext_lazy("audit", "engine"),
    "every": pgettext_lazy("audit", "every"),
    "files": pgettext_lazy("audit", "files"),
    "format": pgettext_lazy("audit", "format"),
    "is_administrator": pgettext_lazy("audit", "is administrator"),
    "is_manager": pgettext_lazy("audit", "is manager"),
    "issuer": pgettext_lazy("audit", "issuer"),
    "kind": pgettext_lazy("audit", "kind"),
    "left": pgettext_lazy("audit", "left"),
    "limits": pgettext_lazy("audit", "limits"),
    "login": pgettext_lazy("audit", "login"),
    "made": pgettext_lazy("audit", "made"),
    "made_by": pgettext_lazy("audit", "made by"),
    "mentioned": pgettext_lazy("audit", "mentioned"),
    "model": pgettext_lazy("audit", "model"),
    "money": pgettext_lazy("audit", "money"),
    "names": pgettext_lazy("audit", "names"),
    "of": pgettext_lazy("audit", "of"),
    "owner": pgettext_lazy("audit", "owner"),
    "passkey": pgettext_lazy("audit", "passkey"),
    "passkeys": pgettext_lazy("audit", "passkeys"),
    "person": pgettext_lazy("audit", "person"),
    "phrase": pgettext_lazy("audit", "phrase"),
    "place": pgettext_lazy("audit", "place"),
    "powers": pgettext_lazy("audit", "powers"),
    "privacy": pgettext_lazy("audit", "privacy"),
    "question": pgettext_lazy("audit", "question"),
    "report": pgettext_lazy("audit", "report"),
    "restores": pgettext_lazy("audit", "restores"),
    "right": pgettext_lazy("audit", "right"),
    "role": pgettext_lazy("audit", "role"),
    "rows": pgettext_lazy("audit", "rows"),
    "saved": pgettext_lazy("audit", "saved"),
    "schedule": pgettext_lazy("audit", "schedule"),
    "scopes": pgettext_lazy("audit", "scopes"),
    "sessions": pgettext_lazy("audit", "sessions"),
    "shown": pgettext_lazy("audit", "shown"),
    "source": pgettext_lazy("audit", "source"),
    "sources": pgettext_lazy("audit", "sources"),
    "state": pgettext_lazy("audit", "state"),
    "status": pgettext_lazy("audit", "status"),
    "team": pgettext_lazy("audit", "team"),
    "teams": pgettext_lazy("audit", "teams"),
    "terms": pgettext_lazy("audit", "terms"),
    "threads": pgettext_lazy("audit", "threads"),
    "title": pgettext_lazy("audit", "title"),
    "to": pgettext_lazy("audit", "to"),
    "tokens": pgettext_lazy("audit", "tokens"),
    "until": pgettext_lazy("audit", "until"),
    "use": pgettext_lazy("audit", "use"),
    "verified": pgettext_lazy("audit", "verified"),
    "waiting": pgettext_lazy("audit", "waiting"),
    "was": pgettext_lazy("audit", "was"),
    "way": pgettext_lazy("audit", "way"),
    "what": pgettext_lazy("audit", "what"),
    "why": pgettext_lazy("audit", "why"),
    "with_llm": pgettext_lazy("audit", "with llm"),
}

# Details whose values are words of Mirror's own, and these words.
_CHOSEN = frozenset({"way", "kind", "status"})
VALUES = {
    "draft": pgettext_lazy("audit", "draft"),
    "filter": pgettext_lazy("audit", "filter"),
    "force": pgettext_lazy("audit", "force"),
    "identity provider": pgettext_lazy("audit", "identity provider"),
    "measure": pgettext_lazy("audit", "measure"),
    "name": pgettext_lazy("audit", "name"),
    "one-time link": pgettext_lazy("audit", "one-time link"),
    "passkey": pgettext_lazy("audit", "passkey"),
    "password": pgettext_lazy("audit", "password"),
    "retired": pgettext_lazy("audit", "retired"),
    "rule": pgettext_lazy("audit", "rule"),
    "value": pgettext_lazy("audit", "value"),
}


def said(verb: str, is_refused: bool) -> str:
    """Say a row for a person.

    Example:
        >>> said("ran SQL", True), said("ran SQL", False), said("signed in", True)
        ('SQL was refused', 'ran SQL', 'refused: signed in')
    """
    if not is_refused:
        return gettext(verb)
    return (
        gettext(REFUSED[verb]) if verb in REFUSED else gettext("refused: %(verb)s") % {"verb": gettext(verb)}
    )


def value_said(name: str, value: str) -> str:
    """The value of a detail, for a person: a word of Mirror's own, a day, or what somebody wrote, which stays as it is.

    Example:
        >>> value_said("status", "force"), value_said("phrase", "force")
        ('force', 'force')
    """
    if name in _CHOSEN and value in VALUES:
        return str(VALUES[value])
    return day_said(value) if name == "until" else value


def detail_said(name: str) -> str:
    """The name of a detail, for a person; one of an earlier version stays as it was.

    Example:
        >>> detail_said("is_administrator"), detail_said("gone_by_now")
        ('is administrator', 'gone by now')
    """
    return str(DETAILS.get(name, name.replace("_", " ")))
