"""Make the catalogs of every language from the texts in code, templates and scripts; `script/messages` runs it.

A text that is no longer there leaves the catalog, and none is guessed from one like it: the guess would be shown to nobody
and has to be found. Places are not kept: they change with every line.
"""

from __future__ import annotations

import base64
import json
import os
import secrets
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCALES = ROOT / "frontend" / "locale"
# Texts of others, and of what no browser shows.
IGNORED = (".venv", "node_modules", "var", "tests", "docs", "deploy", "vendor", "build", "words")

# Lines of a head that change with every run.
DATED = (
    '"POT-Creation-Date:',
    '"PO-Revision-Date:',
    '"Last-Translator:',
    '"Language-Team:',
    '"Report-Msgid-Bugs-To:',
)


def words_of(language: str) -> str:
    """Write the words of scripts in a language as a script: a text to its translation, one with a count to those of one and of many."""
    from django.utils.translation.trans_real import DjangoTranslation

    catalog = DjangoTranslation(language, domain="djangojs", localedirs=[str(LOCALES)])._catalog
    words: dict[str, object] = {}
    for key, said in catalog.items():
        if isinstance(key, tuple):
            words.setdefault(key[0], [catalog[key[0], 0], catalog[key[0], 1]])
        elif key:
            words[key] = said
    return (
        f"globalThis.mirrorWords = {json.dumps(dict(sorted(words.items())), ensure_ascii=False, indent=0)};\n"
    )


def main() -> None:
    """Read the texts, then compile."""
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mirror.settings")
    # Nothing is signed or sealed here: a fresh clone has no secrets yet.
    os.environ.setdefault("SECRET_KEY", secrets.token_urlsafe())
    os.environ.setdefault(
        "MIRROR_ENCRYPTION_KEYS", base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
    )
    import django
    from django.conf import settings
    from django.core.management import call_command
    from django.core.management.commands import compilemessages, makemessages

    class Reading(makemessages.Command):
        # Texts of `sqlagent` are marked by functions of its own.
        xgettext_options = [
            *makemessages.Command.xgettext_options,
            "--keyword=worded",
            "--keyword=worded_count:1,2",
            "--keyword=template",
        ]
        msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching"]

    django.setup()
    languages = [code for code, _ in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
    fixed = {
        "locale": languages,
        "ignore_patterns": [*IGNORED, *(f"{name}/*" for name in IGNORED)],
        "no_location": True,
        "no_obsolete": True,
        "no_wrap": True,
    }
    for domain, kinds in (("django", ["html", "txt", "py"]), ("djangojs", ["js"])):
        call_command(Reading(), domain=domain, extensions=kinds, **fixed)
    for catalog in LOCALES.glob("*/LC_MESSAGES/*.po"):
        lines = catalog.read_text("utf-8").splitlines(keepends=True)
        catalog.write_text("".join(one for one in lines if not one.startswith(DATED)), "utf-8")
    call_command(compilemessages.Command(), locale=languages)
    for language in languages:
        words = ROOT / "frontend" / "static" / "js" / "words" / f"{language}.js"
        words.parent.mkdir(exist_ok=True)
        words.write_text(words_of(language), "utf-8")


if __name__ == "__main__":
    main()
