"""A streamed chat completion put together from its server-sent events.

Decides what counts as a whole reply: one that says how it ended, or whose stream did.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


class BrokenOff(ValueError):
    """A stream that ended in the middle of a reply."""


def gathered(lines: Iterable[str]) -> dict[str, Any]:
    """Put the events of a stream together as the completion that would have come whole.

    Comments, events without choices (Azure's filters, the usage at the end) and chunks without a delta are no
    fault. An event that tells an error becomes the completion. Raises: BrokenOff, ValueError for what is no JSON.

    Example:
        >>> gathered(['data: {"choices": [{"delta": {"content": "SEL"}}]}', "", ": alive",
        ...           'data: {"choices": [{"delta": {"content": "ECT"}, "finish_reason": "stop"}]}'])["choices"][0]["message"]
        {'content': 'SELECT'}
    """
    content: list[str] = []
    thoughts: list[str] = []
    logprobs: list[Any] = []
    found: dict[str, Any] = {}
    finish, is_done = None, False
    for line in lines:
        field, _, data = line.partition(":")
        if field != "data":
            continue
        if data.strip() == "[DONE]":
            is_done = True
            continue
        chunk = json.loads(data)
        if not isinstance(chunk, dict):
            raise ValueError("an event that is no object")
        if chunk.get("error"):
            return {"error": chunk["error"]}
        found |= {name: chunk[name] for name in ("usage", "timings") if chunk.get(name)}
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index"):
                continue
            delta = _object(choice.get("delta") or choice.get("message"))
            content += _texts(delta.get("content"))
            thoughts += _texts(delta.get("reasoning_content") or delta.get("reasoning"))
            told = _object(choice.get("logprobs")).get("content")
            logprobs += told if isinstance(told, list) else ()
            finish = choice.get("finish_reason") or finish
    if not (finish or is_done):
        raise BrokenOff("the stream ended in the middle of the reply")
    message = {"content": "".join(content)} | ({"reasoning_content": "".join(thoughts)} if thoughts else {})
    choice = {"message": message, "finish_reason": finish}
    return found | {"choices": [choice | ({"logprobs": {"content": logprobs}} if logprobs else {})]}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _texts(content: Any) -> list[str]:
    """Give the text of a piece of content, which may be a list of parts; thoughts among the parts are left out."""
    if isinstance(content, str):
        return [content]
    return [
        part["text"]
        for part in (content if isinstance(content, list) else ())
        if isinstance(part, dict) and part.get("type", "text") == "text" and isinstance(part.get("text"), str)
    ]
