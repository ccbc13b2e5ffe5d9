"""Passwords hashed as Mirror does and at no cost: tests that try thousands are about the waits between them."""

from __future__ import annotations

from django.contrib.auth.hashers import Argon2PasswordHasher


class Quick(Argon2PasswordHasher):
    """Argon2 with the least work that it takes."""

    time_cost = 1
    memory_cost = 8
    parallelism = 1
