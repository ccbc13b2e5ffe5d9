"""Users, their teams, their ways to sign in, their sessions and their quotas."""

from __future__ import annotations

from importlib import import_module
from typing import Any, ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser, UserManager
from django.contrib.auth.password_validation import validate_password
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy

from mirror.secrets import EncryptedTextField


class People(UserManager["User"]):
    """Makes users, from a shell too, with no password that a form would refuse."""

    use_in_migrations = False

    def create_user(
        self, username: str, email: str | None = "", password: str | None = None, **fields: Any
    ) -> User:
        """Make and save a user. Raises: ValidationError for a weak password."""
        self._check(username, email, password, fields)
        made: User = super().create_user(username, email, password, **fields)
        return made

    def create_superuser(
        self, username: str, email: str | None = "", password: str | None = None, **fields: Any
    ) -> User:
        """Make and save a superuser, as `manage.py createsuperuser` does. Raises: ValidationError for a weak password."""
        self._check(username, email, password, fields)
        made: User = super().create_superuser(username, email, password, **fields)
        return made

    def _check(self, username: str, email: str | None, password: str | None, fields: dict[str, Any]) -> None:
        if password is not None:
            validate_password(password, self.model(username=username, email=email or "", **fields))


class User(AbstractUser):
    """A person who signs in. Staff manage people; everyone else sees what is shared with them.

    `email_is_typed`: the person typed the mail address, so nobody else vouches for it. One that `is_service` is no person:
    programs act as it by tokens alone, within what is shared with its teams. `language` is the one that was chosen, empty for
    that of the browser; `browser_language` is that of the browser that signed in last, for mails.
    """

    email_is_typed = models.BooleanField(default=False)
    is_service = models.BooleanField(default=False)
    language = models.CharField(max_length=10, blank=True, default="")
    browser_language = models.CharField(max_length=10, blank=True, default="")

    objects: ClassVar[People] = People()

    @property
    def called(self) -> str:
        """The full name, else the user name."""
        return self.get_full_name() or self.get_username()

    @property
    def is_away(self) -> bool:
        """Whether the identity provider does not vouch for them now: they have no session, and their tokens rest."""
        account = getattr(self, "identity", None)
        return account is not None and account.refused_at is not None


class WrongPasswords(models.Model):
    """How often a password was tried in vain, by a hashed name, address or browser."""

    key = models.CharField(max_length=64, unique=True)
    tries = models.PositiveIntegerField(default=0)
    last_at = models.DateTimeField(db_index=True)


class Team(models.Model):
    """People who share sources and saved SQL."""

    name = models.CharField(max_length=80, unique=True)
    members = models.ManyToManyField(User, through="Membership", related_name="teams")

    class Meta:
        ordering = ["name"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One person in one team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    is_manager = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="one_membership_each")]


class SignInLink(models.Model):
    """A link that signs one person in once. Only the hash of its token is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE)
    token_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)


class Quota(models.Model):
    """The number of uses that one person has within a while. The row is locked while a use is counted."""

    class Kind(models.TextChoices):
        MAILS = "mails", gettext_lazy("mails")
        CALLS = "calls", gettext_lazy("calls of webhooks and the like")
        ASKS = "asks", gettext_lazy("outside addresses asked for their consent")
        TESTS = "tests", gettext_lazy("connection tests")
        COMMENTS = "comments", gettext_lazy("comments")

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="quotas")
    kind = models.CharField(max_length=10, choices=Kind)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["person", "kind"], name="one_quota_a_kind")]


class QuotaUse(models.Model):
    """One use of a quota. `key` names what was done: what is tried again under one key is one use."""

    quota = models.ForeignKey(Quota, on_delete=models.CASCADE, related_name="uses")
    key = models.CharField(max_length=40)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["quota", "key"], name="one_use_a_key")]
        indexes = [models.Index(fields=["quota", "at"], name="quota_use_at")]


class QuotaMet(models.Model):
    """That somebody came upon the bound of a quota: one row an hour, told to administrators once.

    `most` is the bound as it was, `held` how often something was held back.
    """

    person = models.ForeignKey(User, on_delete=models.CASCADE, related_name="quotas_met")
    kind = models.CharField(max_length=10, choices=Quota.Kind)
    most = models.PositiveIntegerField()
    held = models.PositiveIntegerField(default=1)
    at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-at", "-pk"]


class Session(AbstractBaseSession):
    """A browser that is signed in, or about to be: whose it is, and from where it was begun."""

    class Way(models.TextChoices):
        PASSWORD = "password", gettext_lazy("password")  # noqa: S105 - the name of a way
        LINK = "link", gettext_lazy("one-time link")
        PASSKEY = "passkey", gettext_lazy("passkey")
        PROVIDER = "provider", gettext_lazy("identity provider")

    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="sessions")
    way = models.CharField(max_length=10, choices=Way, blank=True)
    address = models.CharField(max_length=64, blank=True)
    browser = models.CharField(max_length=300, blank=True)
    begun_at = models.DateTimeField(null=True)
    seen_at = models.DateTimeField()

    class Meta(AbstractBaseSession.Meta):
        ordering = ["-seen_at"]

    @classmethod
    def get_session_store_class(cls) -> Any:
        """Name what reads it to Django."""
        return import_module(settings.SESSION_ENGINE).SessionStore

    @property
    def mark(self) -> str:
        """Its name on pages: the key itself would sign in its reader."""
        return salted_hmac("mirror.people.session", self.session_key, algorithm="sha256").hexdigest()[:32]


class Identity(models.Model):
    """One person as the identity provider knows them: by issuer and subject, never by a mail address.

    `grant` is what the provider is asked with whether they are still there: a refresh token, or an access token where it
    gives none. `is_lasting`: it outlives the person's session there, so a refusal means that they left. `refused_at`: since
    when the provider does not vouch for them; they have no session then and their tokens rest. `shut_out_at`: they were
    shut out for it, and a sign-in by the provider lets them in again. `is_unsure`: the answer to the last question never
    came, and with it perhaps the token that takes the place of the one here; a refusal then proves nothing lasting.
    """

    class Grant(models.TextChoices):
        REFRESH = "refresh", "refresh token"
        ACCESS = "access", "access token"

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="identity")
    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    grant = EncryptedTextField(blank=True, default="")
    grant_kind = models.CharField(max_length=10, choices=Grant, blank=True)
    is_lasting = models.BooleanField(default=False)
    groups = models.JSONField(default=list, blank=True)
    made_at = models.DateTimeField(auto_now_add=True)
    asked_at = models.DateTimeField(null=True, blank=True, db_index=True)
    vouched_at = models.DateTimeField(null=True, blank=True)
    refused_at = models.DateTimeField(null=True, blank=True)
    shut_out_at = models.DateTimeField(null=True, blank=True)
    is_unsure = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="one_person_a_subject")]

    def __str__(self) -> str:
        return self.subject


class GroupRule(models.Model):
    """The meaning of a group of the provider: its people are members of a team, or administrators where there is no team."""

    group = models.CharField(max_length=200)
    team = models.ForeignKey(
        Team, on_delete=models.CASCADE, null=True, blank=True, related_name="group_rules"
    )

    class Meta:
        ordering = ["group", "team__name"]
        constraints = [
            models.UniqueConstraint(fields=["group", "team"], name="one_rule_a_group_and_team"),
            models.UniqueConstraint(
                fields=["group"], condition=models.Q(team=None), name="one_rule_of_administrators"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.group}: {self.team or 'administrators'}"


class CodeMaker(models.Model):
    """The secret of somebody's one-time codes, which an authenticator app keeps too. It counts once it is confirmed.

    `last_step` is the period of the last code taken: that one and earlier ones are taken no more.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="code_maker")
    secret = EncryptedTextField()
    made_at = models.DateTimeField(auto_now_add=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    last_step = models.BigIntegerField(default=0)


class RecoveryCode(models.Model):
    """A code that stands in for a second factor, once. Only its hash is kept."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="recovery_codes")
    code_hash = models.CharField(max_length=64, unique=True)
    used_at = models.DateTimeField(null=True, blank=True)


class Passkey(models.Model):
    """A key of somebody's device or password manager that answers challenges of Mirror (WebAuthn).

    `credential` is what it told of itself when it was added, its public key among it; `host` the name that it is bound to.
    `handle` names the person to the device, the same for all passkeys of one person. `counter` counts its answers, or
    stays 0 where it does not count.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="passkeys")
    name = models.CharField(max_length=60)
    host = models.CharField(max_length=253)
    credential_id = models.CharField(max_length=1364, unique=True)
    credential = models.TextField()
    handle = models.CharField(max_length=64)
    counter = models.PositiveBigIntegerField(default=0)
    made_at = models.DateTimeField(auto_now_add=True)
    used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["made_at", "pk"]

    def __str__(self) -> str:
        return self.name


class PasskeyChallenge(models.Model):
    """A challenge that waits for the answer of a passkey, in one session; taken by deleting it, so it is answered once.

    `user` is the person who is asked, None where the passkey itself tells who signs in.
    """

    class Purpose(models.TextChoices):
        ADD = "add", "add a passkey"
        FACTOR = "factor", "second factor"
        SIGN_IN = "sign in", "sign in"

    session = models.OneToOneField(Session, on_delete=models.CASCADE)
    purpose = models.CharField(max_length=10, choices=Purpose)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True)
    challenge = models.CharField(max_length=64)
    handle = models.CharField(max_length=64, blank=True)
    made_at = models.DateTimeField()
