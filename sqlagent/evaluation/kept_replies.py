"""Keeps the replies of a language model in a folder, so that a measurement that was interrupted goes on and no prompt is paid for twice.

A measurement of a few dozen questions cannot bear a call that failed and counts as a wrong answer: it stops instead, and is run again.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from threading import Event as Flag
from threading import Lock

from sqlagent.errors import LlmError, LlmTooLong
from sqlagent.evaluation.items import BadInput
from sqlagent.ports import Llm
from sqlagent.values import LlmReply, LlmRequest, Usage


class KeptReplies:
    """An Llm that asks another one for what is not in its folder yet, `most` prompts in all."""

    def __init__(self, llm: Llm, folder: Path, most: int | None = None) -> None:
        self._llm, self._folder, self._most = llm, folder, most
        self._lock = Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BadInput(f"{folder} cannot be written: {error.strerror}") from error
        self.kept = sum(1 for _ in folder.glob("*.json"))
        self.asked = 0

    @property
    def name(self) -> str:
        """The model's name."""
        return self._llm.name

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Give the kept reply, or ask once and keep it. Raises: BadInput, LlmTooLong, Cancelled."""
        path = self._folder / f"{self._key(request)}.json"
        if path.is_file():
            return _read(path)
        with self._lock:
            if self._most is not None and self.kept >= self._most:
                raise BadInput(
                    f"{self.kept} prompts were asked, and more are needed. Their replies are kept: allow more and run it again."
                )
            self.kept, self.asked = self.kept + 1, self.asked + 1
        try:
            reply = self._llm.complete(request, cancelled)
        except LlmTooLong:
            raise
        except LlmError as error:
            with self._lock:
                self.kept, self.asked = self.kept - 1, self.asked - 1
            raise BadInput(f"{error} The replies so far are kept: run it again.") from None
        _write(path, request, reply)
        return reply

    def _key(self, request: LlmRequest) -> str:
        """Name a prompt by all that the model sees of it, so that the same text is asked once, whatever asks."""
        said = [[message.role, message.text] for message in request.messages]
        return hashlib.sha256(
            json.dumps([self.name, said, request.temperature, request.seed]).encode()
        ).hexdigest()


def _read(path: Path) -> LlmReply:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        usage = Usage(1, int(kept["prompt_tokens"]), int(kept["completion_tokens"]))
        return LlmReply(str(kept["reply"]), usage, llm=str(kept["llm"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BadInput(f"{path} is no kept reply: delete it.") from error


def _write(path: Path, request: LlmRequest, reply: LlmReply) -> None:
    """Write a reply whole or not at all."""
    kept = {
        "purpose": request.purpose,
        "prompt": "\n\n".join(message.text for message in request.messages),
        "reply": reply.text,
        "llm": reply.llm,
        "prompt_tokens": reply.usage.prompt_tokens,
        "completion_tokens": reply.usage.completion_tokens,
    }
    part = path.with_suffix(".part")
    part.write_text(json.dumps(kept, ensure_ascii=False, indent=1), encoding="utf-8")
    os.replace(part, path)
