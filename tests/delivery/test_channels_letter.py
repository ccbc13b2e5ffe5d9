"""A mail, part by part, as another program reads it: nothing of this needs a server."""

from __future__ import annotations

import base64
import math
import re
import tracemalloc
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

from mirror.delivery.mail_letter import TONE_STYLES, Letter, compose, text_file
from mirror.delivery.parcel import Introduction, Parcel, Section, Tone
from tests.delivery.parcels import CSV, MONTHS, URL, attachment, parcel, png, zeros

ROOT = Path(__file__).resolve().parents[2]
TO = "bob@example.org"


def sent(letter: Letter) -> bytes:
    """The bytes as a server keeps them: with the doubled dots taken out (RFC 5321, 4.5.2)."""
    return re.sub(rb"(?m)^\.", b"", b"".join(letter.blocks()))


def read(given: Parcel, to: str = TO) -> EmailMessage:
    message = message_from_bytes(sent(compose(given, to)), policy=default)
    assert isinstance(message, EmailMessage)
    assert not [defect for part in message.walk() for defect in part.defects]
    return message


def html_of(message: EmailMessage) -> str:
    return message.get_body(("html",)).get_content()


def text_of(message: EmailMessage) -> str:
    return message.get_body(("plain",)).get_content()


class Cells(HTMLParser):
    """The cells of the tables that hold rows, as text, with their attributes; the labels of narrow screens by themselves."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.labels: list[str] = []
        self._is_label = False
        self.cells: list[tuple[str, dict[str, str | None]]] = []
        self._in = False
        self.tags: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag in ("td", "th") and ("rule" in dict(attrs).get("class", "") or tag == "th"):
            self.cells.append(("", dict(attrs)))
            self._in = True
        self._is_label = tag == "span" and self._in

    def handle_endtag(self, tag):
        self._in = self._in and tag not in ("td", "th")
        self._is_label = self._is_label and tag != "span"

    def handle_data(self, data):
        if self._is_label:
            self.labels.append(data)
        elif self._in:
            text, attributes = self.cells[-1]
            self.cells[-1] = ((text + data).lstrip(), attributes)


def test_a_mail_has_a_text_a_page_with_its_picture_and_the_files():
    message = read(parcel())
    kinds = [part.get_content_type() for part in message.walk()]
    assert kinds == [
        "multipart/mixed", "multipart/alternative", "text/plain", "multipart/related", "text/html",
        "image/png", "text/csv",
    ]  # fmt: skip
    image = next(part for part in message.walk() if part.get_content_type() == "image/png")
    assert image.get_content() == MONTHS.image
    assert image.get_content_disposition() == "inline"
    assert f'src="cid:{image["Content-ID"].strip("<>")}"' in html_of(message)
    assert f'alt="{MONTHS.sentence}"' in html_of(message)
    (file,) = message.iter_attachments()
    assert file.get_filename() == "Weekly sales.csv"
    assert base64.b64decode(file.get_payload()) == CSV


def test_its_headers_say_who_when_and_that_no_person_wrote_it(settings):
    settings.MAIL_FROM = "Mirror at Köln <reports@mirror.example.org>"
    message = read(parcel())
    assert message["Subject"] == "Weekly sales"
    assert message["From"].addresses[0].display_name == "Mirror at Köln"
    assert message["To"] == TO
    assert message["Date"].datetime == parcel().made_at
    assert message["Message-ID"] == f"<{parcel().uid}@mirror.example.org>"
    assert message["Auto-Submitted"] == "auto-generated"


def test_the_same_parcel_gives_the_same_bytes_at_each_attempt():
    assert sent(compose(parcel(), TO)) == sent(compose(parcel(attempt=3), TO))
    assert read(parcel(uid="another"))["Message-ID"] != read(parcel())["Message-ID"]


def test_the_size_that_a_server_is_told_is_the_size(settings):
    letter = compose(
        parcel(files=tuple(attachment(f"{n}.bin", b"x" * n) for n in (0, 1, 56, 57, 58, 57_000, 57_001))), TO
    )
    assert len(sent(letter)) == letter.size


def test_the_first_rows_are_shown_and_how_many_there_are():
    message = read(parcel())
    for body in (html_of(message), text_of(message)):
        assert "First 20 of 3,412 rows" in body
        assert "Seller 19" in body
        assert "Seller 20" not in body
        assert MONTHS.sentence in body
        assert URL in body
    assert "3 rows" in text_of(message)


def test_numbers_stand_on_the_right_and_texts_on_the_left():
    cells = Cells(html_of(read(parcel(sections=(MONTHS,))))).cells
    heads = {text: attributes for text, attributes in cells if "scope" in attributes}
    assert heads["revenue"]["align"] == "right"
    assert heads["top seller"]["align"] == "left"
    aligned = {text: attributes.get("align") for text, attributes in cells}
    assert aligned["234,566.40"] == "right"
    assert aligned["Seller 19"] is None


def test_what_is_in_cells_stays_text():
    message = read(parcel())
    html = html_of(message)
    page = Cells(html)
    shown = [text for text, _ in page.cells]
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in shown
    assert "O'Brien & Søn" in shown
    assert "NULL" in shown
    assert "a b c" in shown
    assert "Sellers <b>&" in text_of(message)


def test_a_cell_like_a_formula_is_defused_and_a_number_is_not():
    shown = [text for text, _ in Cells(html_of(read(parcel()))).cells]
    assert '\'=HYPERLINK("http://evil","x")' in shown
    assert "-5" in shown


@pytest.mark.parametrize(
    "title",
    [
        "Sales\r\nBcc: all@example.org",
        "Sales\nX-Evil: 1\n\n<html>",
        "Sales\r\n\r\n--=_boundary\r\nContent-Type: text/html",
        "a\x00b\x1b[31mred\x7f",
        "Umsätze 📈 – 売上 " * 9,
        "\u202etxt.exe",
        "x" * 900,
        "=?utf-8?q?Bcc:_x?=",
        "\ud800 half",
        " \t ",
    ],
)
def test_a_title_adds_no_header_and_no_part(title):
    given = parcel(title=title)
    message = read(given)
    assert set(message.keys()) == set(read(parcel()).keys())
    assert len(list(message.walk())) == len(list(read(parcel()).walk()))
    assert message["To"] == TO
    assert not re.search(r"[\x00-\x1f\x7f\u202e]", str(message["Subject"]))
    assert str(message["Subject"]).strip()
    assert len(str(message["Subject"])) <= 150


anything = st.text(max_size=120) | st.text('\r\n:=?_<>@." \\\x00aé📈', max_size=120)


@limits(max_examples=40)
@given(title=anything, name=anything, uid=st.uuids(), sentence=anything, message=anything, cell=anything)
def test_whatever_the_words_are_the_mail_is_whole(title, name, uid, sentence, message, cell):
    section = Section(title, sentence, (title,), ("text",), ((cell,),), 1, image=png())
    file = attachment(name, b"\x00\r\n.\r\n")
    letter = compose(
        parcel(uid=str(uid), title=title, message=message, sections=(section,), files=(file,)), TO
    )
    raw = sent(letter)
    assert len(raw) == letter.size
    assert all(len(line) <= 998 for line in raw.split(b"\r\n"))
    assert not re.search(rb"[^\r]\n|\r[^\n]|[\x80-\xff\x00]", raw)
    parsed = message_from_bytes(raw, policy=default)
    assert [part.get_content_type() for part in parsed.walk()][-2:] == ["image/png", "text/csv"]
    assert len(list(parsed.walk())) == 7
    (attached,) = parsed.iter_attachments()
    assert base64.b64decode(attached.get_payload()) == b"\x00\r\n.\r\n"
    assert parsed["Bcc"] is None


def test_a_parcel_introduces_itself_as_it_says():
    stock = Introduction(
        "Low", "The stock is low", Tone.BAD, "Open the stock", "Sent to you because you count."
    )
    message = read(parcel(title="Stock", introduction=stock, message="4 is below 10."))
    assert message["Subject"] == "Low: Stock"
    for body in (html_of(message), text_of(message)):
        for words in (stock.band, stock.link_label, stock.why):
            assert words in body
    assert f'class="tone-bad" style="{TONE_STYLES[Tone.BAD]}' in html_of(message)


def test_a_parcel_without_an_introduction_has_no_band():
    message = read(parcel(title="Stock", message="4 is below 10."))
    assert message["Subject"] == "Stock"
    assert 'class="tone-' not in html_of(message)
    assert "4 is below 10." in html_of(message)


def test_files_that_are_too_large_are_named_and_linked(settings):
    settings.MAIL_ATTACHMENT_MB = 1
    files = (
        attachment("small.csv", b"a" * 600_000),
        attachment("large.parquet", b"b" * 600_000, "application/vnd.apache.parquet", rows=5_000_000),
        attachment("tiny.csv", b"c"),
        attachment("linked.pdf", b"d" * 900_000, "application/pdf", url="https://mirror.example.org/f/token"),
    )
    message = read(parcel(files=files))
    assert [file.get_filename() for file in message.iter_attachments()] == ["small.csv", "tiny.csv"]
    for body in (html_of(message), text_of(message)):
        said = " ".join(re.sub(r"<[^>]*>", " ", body).split())
        assert "large.parquet" in said
        assert "5,000,000 rows" in said
        assert "Too large to attach: open the report" in said
        assert "https://mirror.example.org/f/token" in body


def test_attachments_are_encoded_while_they_are_sent(settings):
    settings.MAIL_ATTACHMENT_MB = 50
    letter = compose(parcel(files=(zeros("large.bin", 10_000_000),)), TO)
    tracemalloc.start()
    try:
        size = sum(len(block) for block in letter.blocks())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size >= letter.size > 13_000_000
    assert peak < 2_000_000


def test_a_mail_for_a_server_that_takes_little_has_fewer_files():
    files = (attachment("a.bin", b"a" * 2_000_000), attachment("b.bin", b"b" * 300_000))
    letter = compose(parcel(files=files), TO, 1_000_000)
    assert letter.size < 1_000_000
    names = [
        file.get_filename() for file in message_from_bytes(sent(letter), policy=default).iter_attachments()
    ]
    assert names == ["b.bin"]


def test_what_must_be_known_of_the_files_is_said():
    message = read(parcel())
    for body in (html_of(message), text_of(message)):
        assert "Texts like formulas begin with an apostrophe." in body
        assert "Cells longer than 80 characters are cut." in body


def test_a_chart_of_nothing_and_no_rows_are_fine():
    empty = Section("Nothing", "There are no rows.", (), (), (), 0)
    message = read(parcel(sections=(empty,), files=()))
    assert message.get_content_type() == "multipart/alternative"
    assert "No rows" in html_of(message)
    assert "<img" not in html_of(message)


def test_many_columns_are_left_out_and_counted():
    wide = Section("Wide", "", tuple(f"c{i}" for i in range(40)), ("integer",) * 40, (tuple(range(40)),), 1)
    assert "32 more columns" in text_of(read(parcel(sections=(wide,))))


def test_places_that_take_files_only_get_the_text():
    (file,) = text_file(parcel(about="alert", message="The value is 4.")).files
    assert file.name == "alert.txt"
    with file.open() as stream:
        text = stream.read()
    assert len(text) == file.size
    assert b"The value is 4." in text


# ---------------------------------------------------------------- its colours


def hex_of(oklch: str) -> str:
    """The sRGB colour of `L% C h` (CSS Color 4, "Converting Oklab")."""
    lightness, chroma, hue = (float(word.rstrip("%")) for word in oklch.split())
    L, a, b = lightness / 100, chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    long, middle, short = (
        (L + 0.3963377774 * a + 0.2158037573 * b) ** 3,
        (L - 0.1055613458 * a - 0.0638541728 * b) ** 3,
        (L - 0.0894841775 * a - 1.2914855480 * b) ** 3,
    )
    linear = (
        4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * middle + 1.7076147010 * short,
    )
    channels = [
        12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055
        for x in (min(max(x, 0), 1) for x in linear)
    ]
    return "#" + "".join(f"{round(x * 255):02x}" for x in channels)


def test_its_colours_are_those_of_the_pages():
    tokens = (ROOT / "frontend/static/css/tokens.css").read_text()
    known = {hex_of(colour) for colour in re.findall(r"oklch\(([\d.% ]+)\)", tokens)}
    folder = ROOT / "frontend/templates/delivery"
    used = {
        colour
        for path in folder.glob("mail*.html")
        for colour in re.findall(r"#[0-9a-f]{6}\b", path.read_text())
    } | {colour for style in TONE_STYLES.values() for colour in re.findall(r"#[0-9a-f]{6}\b", style)}
    assert used <= known


def luminance(colour: str) -> float:
    """How bright a colour is (WCAG 2.2, "relative luminance")."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4 for x in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("tone", Tone)
def test_what_is_said_first_can_be_read_in_light_and_dark(tone):
    html = html_of(read(parcel(introduction=Introduction(band="Alert", tone=tone))))
    dark = re.search(rf"\.tone-{tone} {{(.*?)}}", html)
    assert dark
    for style in (TONE_STYLES[tone], dark[1]):
        ground, _, ink = re.findall(r"#[0-9a-f]{6}", style)
        low, high = sorted((luminance(ground), luminance(ink)))
        assert (high + 0.05) / (low + 0.05) >= 4.5
