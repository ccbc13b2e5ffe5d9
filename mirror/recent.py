"""Recently made values, given again: a bounded number of them, in this process, for its threads.

Django's caches pickle what they keep, which costs what is saved here; functools keeps its arguments, which are large.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The `most` values that were asked for last, by their keys.

    Threads that ask for one key at once wait for one of them to make it; those that ask for others do not wait.

    Example:
        >>> squares = Recent[int, int](most=2)
        >>> [squares.get(n, lambda n=n: n * n) for n in (2, 3, 4)], 2 in squares, 4 in squares
        ([4, 9, 16], False, True)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Key, Value] = OrderedDict()
        self._making: dict[Key, Lock] = {}
        self._lock = Lock()

    def __contains__(self, key: Key) -> bool:
        with self._lock:
            return key in self._kept

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """Give the value of a key, made now where it is not kept. None is not kept. Raises the errors of `make`."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            making = self._making.setdefault(key, Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    return self._kept[key]
            try:
                value = make()
                if value is not None:
                    self._keep(key, value)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return value

    def _keep(self, key: Key, value: Value) -> None:
        with self._lock:
            self._kept[key] = value
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
