"""Which letters a PDF can show, and by which font.

DejaVu Sans is installed with matplotlib. Letters that it lacks are drawn by a font of the system that has East Asia's
letters, if one is found; letters of neither become U+FFFD and are told in the notes of the file. A font is looked for
where matplotlib looks for fonts, and only once some text needs it: reading one of 20 MB takes a second.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
from django.utils.translation import ngettext
from fpdf import FPDF
from fpdf.fonts import TTFFont
from matplotlib.font_manager import findSystemFonts

from mirror.phrases import separated

log = logging.getLogger(__name__)

FAMILY, FURTHER = "DejaVu", "Further"
LACKING = "\ufffd"
# Letters that are named in the note; more of them say nothing more.
NAMED = 12

# Names of files of fonts with the letters of East Asia, those of one weight and all letters first.
_EAST_ASIAN = (
    r"NotoSans(Mono)?CJK.*-Regular", r"SourceHanSans.*-Regular", r"DroidSansFallbackFull", r"DroidSansFallback",
    r"wqy-microhei", r"wqy-zenhei", r"arialuni|Arial Unicode", r"PingFang", r"msyh", r"simsun", r"ipagp?",
    r"unifont",
)  # fmt: skip


@cache
def further_font() -> Path | None:
    """The font of the system that has East Asia's letters, or None."""
    found = sorted(map(Path, findSystemFonts()))
    for pattern in _EAST_ASIAN:
        for path in found:
            if re.match(pattern, path.stem, re.I):
                return path
    log.info("No font with East Asia's letters was found; PDFs are without them")
    return None


def _letters_of(paper: FPDF, font: str) -> set[int]:
    """List the letters of a font that was added from a file."""
    added = paper.fonts[font]
    return set(added.cmap) if isinstance(added, TTFFont) else set()


class Letters:
    """The fonts of one document, and the letters it was asked for and could not show."""

    def __init__(self, paper: FPDF) -> None:
        folder = Path(mpl.get_data_path()) / "fonts/ttf"
        paper.add_font(FAMILY, "", folder / "DejaVuSans.ttf")
        paper.add_font(FAMILY, "B", folder / "DejaVuSans-Bold.ttf")
        self._paper = paper
        regular, bold = (_letters_of(paper, FAMILY.lower() + style) for style in ("", "B"))
        self._own: Any = regular & bold
        self._known: Any = self._own
        self._is_further_read = False
        self.lacking: dict[str, None] = {}

    def fit(self, text: str) -> str:
        """A text whose every letter can be drawn: what no font has becomes U+FFFD, marks without a shape go."""
        if text.isascii():
            return text
        lacking = {letter for letter in text if ord(letter) not in self._known and letter != "\n"}
        if lacking:
            self._read_further()
            lacking = {letter for letter in lacking if ord(letter) not in self._known}
        for letter in sorted(lacking):
            is_shapeless = unicodedata.category(letter) in ("Cf", "Mn", "Me", "Cc")
            text = text.replace(letter, "" if is_shapeless else LACKING)
            if not is_shapeless:
                self.lacking[letter] = None
        return text

    def is_own(self, letter: str) -> bool:
        """Whether a letter is one of DejaVu's; others are about as wide as high."""
        return ord(letter) in self._own

    def note(self) -> str:
        """Say which letters are not shown; nothing when all are."""
        if not self.lacking:
            return ""
        more = ", …" if len(self.lacking) > NAMED else ""
        codes = ", ".join(f"U+{ord(letter):04X}" for letter in list(self.lacking)[:NAMED])
        said = ngettext(
            "%(count)s letter is shown as %(mark)s, because no font here has it (%(codes)s); files of other formats have it.",
            "%(count)s different letters are shown as %(mark)s, because no font here has them (%(codes)s); files of other formats have them.",
            len(self.lacking),
        )
        count = separated(f"{len(self.lacking):,}")
        return said % {"count": count, "mark": LACKING, "codes": f"{codes}{more}"}

    def _read_further(self) -> None:
        if self._is_further_read:
            return
        self._is_further_read = True
        path = further_font()
        if path is None:
            return
        try:
            self._paper.add_font(FURTHER, "", path)
        except Exception as error:  # noqa: BLE001 - 1,775 damaged copies of one font raised nine kinds of errors
            log.warning("The font %s cannot be used: %s", path, error)
            return
        self._paper.set_fallback_fonts([FURTHER], exact_match=False)
        self._known = self._known | _letters_of(self._paper, FURTHER.lower())
