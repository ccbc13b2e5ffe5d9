"""A chart as an image by the page's own library, in a Chromium of this process that stays for the next one, for a while.

The browser is started with the first chart. It ends when nothing was drawn for `CHART_BROWSER_SECONDS`, and with the
process, however that ends: it listens to a pipe whose other end we hold. It loads our vendored library and nothing from anywhere else. A chart that takes longer than `SECONDS`, or finds no browser, raises BrowserTrouble, and the browser ends. One that does not come up is started once more.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import shutil
import signal
import threading
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as Late
from pathlib import Path
from typing import Any

from choreographer.protocol import DevtoolsProtocolError
from django.conf import settings
from kaleido import Kaleido, PageGenerator
from kaleido.errors import JavascriptError, KaleidoError

from mirror.exports.images.paper_style import Json

# A chart takes 0.1 s once the browser is up, and that takes 1 to 2 s.
SECONDS = 10
# Of two browsers that start side by side on a busy machine, one in some ten hangs or ends at once; the next one does not.
START_SECONDS = 5
CLOSE_SECONDS = 4
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")

# Errors that Kaleido and the browser below it are known to raise.
_TROUBLES = (
    *(Late, CancelledError, OSError, RuntimeError, ValueError, TypeError),
    *(KaleidoError, JavascriptError, DevtoolsProtocolError),
)

log = logging.getLogger(__name__)


class BrowserTrouble(Exception):
    """The browser is not there, does not answer or does not draw."""


def browser_path() -> str | None:
    """Where a Chromium is, if there is one."""
    return next((path for path in map(shutil.which, _NAMES) if path), None)


class _Browser:
    """One Kaleido and the thread its loop runs in."""

    def __init__(self, path: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="chart-browser", daemon=True)
        self._thread.start()
        self._kaleido: Any = None
        self._path = path

    def draw(self, figure: Json, opts: Json) -> bytes:
        """Draw one figure. Raises: BrowserTrouble."""
        waiting = asyncio.run_coroutine_threadsafe(self._drawn(figure, opts), self._loop)
        try:
            return bytes(waiting.result(SECONDS))
        except _TROUBLES as error:
            waiting.cancel()
            raise BrowserTrouble(f"{type(error).__name__}: {error}") from error

    async def _drawn(self, figure: Json, opts: Json) -> Any:
        if self._kaleido is None:
            try:
                async with asyncio.timeout(START_SECONDS):
                    return await self._first_drawn(figure, opts)
            except _TROUBLES as error:
                log.info("The chart browser did not come up and is started again: %s", type(error).__name__)
                self._kill()
                return await self._first_drawn(figure, opts)
        return await self._kaleido.calc_fig(figure, opts=opts)

    async def _first_drawn(self, figure: Json, opts: Json) -> Any:
        scripts = Path(settings.BASE_DIR) / "frontend/static/js"
        page = PageGenerator(
            plotly=(scripts / "build/charts.js").as_uri(),
            mathjax=False,
            others=[(scripts / name).as_uri() for name in ("build/maps.js", "picture-days.js")],
        )
        self._kaleido = Kaleido(n=1, timeout=SECONDS, page_generator=page, path=self._path)
        await self._kaleido.open()
        return await self._kaleido.calc_fig(figure, opts=opts)

    def _kill(self) -> None:
        """End the browser by force. It leads a session of its own, in which its many processes are."""
        process = getattr(self._kaleido, "subprocess", None)
        if process is not None and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(CLOSE_SECONDS)

    def close(self) -> None:
        """End the browser, in order or else by force, and its thread."""
        if self._kaleido is not None:
            ending = asyncio.run_coroutine_threadsafe(self._kaleido.close(), self._loop)
            try:
                ending.result(CLOSE_SECONDS)
            except _TROUBLES as error:
                log.warning("The chart browser does not end in order: %s", type(error).__name__)
            self._kill()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(2)


_lock = threading.Lock()
_browser: _Browser | None = None
_resting: threading.Timer | None = None


def draw(figure: Json, width: int, height: int, scale: float) -> bytes:
    """Draw a laid-out figure as a PNG, one at a time. Raises: BrowserTrouble."""
    global _browser
    with _lock:
        if _browser is None:
            path = browser_path()
            if path is None:
                raise BrowserTrouble("No Chromium was found.")
            _browser = _Browser(path)
            atexit.register(close)
        try:
            drawn = _browser.draw(figure, {"format": "png", "width": width, "height": height, "scale": scale})
        except BrowserTrouble:
            _put_away()
            raise
        _rest()
        return drawn


def _rest() -> None:
    """Put the browser away when nobody draws for a while: with its many processes it takes some 300 MB."""
    global _resting
    if _resting is not None:
        _resting.cancel()
    _resting = threading.Timer(settings.CHART_BROWSER_SECONDS, _rested)
    _resting.daemon = True
    _resting.start()


def _rested() -> None:
    with _lock:
        # A chart that was drawn while this waited for the lock has begun another rest.
        if threading.current_thread() is _resting:
            _put_away()


def close() -> None:
    """End this process's browser, if it has one."""
    with _lock:
        _put_away()


def _put_away() -> None:
    global _browser, _resting
    if _resting is not None:
        _resting.cancel()
        _resting = None
    if _browser is not None:
        browser, _browser = _browser, None
        browser.close()
