"""One-time codes: set up, asked at sign-in, used once each, throttled as passwords are, reset, required by a setting."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from urllib.parse import quote

import pytest
import time_machine
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import connection
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from mirror.audit.models import AuditRow
from mirror.people import factors
from mirror.people.codes import services
from mirror.people.models import CodeMaker, Identity, RecoveryCode, Session
from mirror.people.services import link_create, user_make_staff

pytestmark = pytest.mark.django_db

PASSWORD = "a long pass phrase"  # noqa: S105 - of a test


@pytest.fixture(autouse=True)
def hashed_at_no_cost(settings) -> None:
    settings.PASSWORD_HASHERS = ["tests.hashing.Quick"]


def with_password(user):
    user.set_password(PASSWORD)
    user.save()
    return user


@pytest.fixture
def alice(alice):
    return with_password(alice)


def app_code(user, later: int = 0) -> str:
    """The code that somebody's app shows, `later` half minutes from now."""
    maker = CodeMaker.objects.get(user=user)
    return services._totp(maker.secret).generate((int(time.time() // 30) + later) * 30).decode()


def set_up(user) -> list[str]:
    """Have codes asked of somebody; the code of now is still free."""
    services.codes_begin(user)
    fresh = services.codes_confirm(user, app_code(user))
    CodeMaker.objects.filter(user=user).update(last_step=0)
    return fresh


def knock(user, password: str = PASSWORD, query: str = "") -> tuple[Client, object]:
    client = Client()
    fields = {"username": user.username, "password": password, "next": query}
    return client, client.post(reverse("people:sign_in"), fields)


def give(client: Client, code: str):
    return client.post(reverse("people:code"), {"code": code})


def begin(client: Client, password: str = PASSWORD):
    return client.post(reverse("people:codes_begin"), {"password": password})


def is_in(client: Client) -> bool:
    return client.get(reverse("people:account")).status_code == 200


# ---------------------------------------------------------------- setting up


def test_codes_are_set_up_with_a_picture_and_a_first_code(alice):
    client, _ = knock(alice)
    assert "Set up one-time codes" in client.get(reverse("people:account")).content.decode()
    assert begin(client).status_code == 302
    page = client.get(reverse("people:codes"))
    secret = CodeMaker.objects.get(user=alice).secret
    assert 'src="data:image/svg+xml' in page.content.decode() and secret[:4] in page.content.decode()
    assert "no-store" in page["Cache-Control"]
    assert client.post(reverse("people:codes"), {"code": "000000"}).status_code == 422
    assert not factors.has_codes(alice), "before a right code nothing is asked"
    assert is_in(knock(alice)[0])
    answer = client.post(reverse("people:codes"), {"code": app_code(alice)})
    assert answer.status_code == 200 and factors.has_codes(alice)
    assert answer.content.decode().count("<li><code>") == 10
    assert secret not in client.get(reverse("people:codes")).content.decode(), "shown while it is set up"
    verbs = AuditRow.objects.filter(thing="alice").values_list("verb", flat=True)
    assert {"set up one-time codes", "made recovery codes"} <= set(verbs)


def test_an_open_browser_sets_no_codes_up_without_the_password(alice):
    client, _ = knock(alice)
    assert 'name="password"' in client.get(reverse("people:codes")).content.decode()
    for typed in ("", "guess 1", "guess 2"):
        answer = begin(client, typed)
        assert answer.status_code == 422 and not CodeMaker.objects.exists()
    assert "That is not your password." in answer.content.decode()
    assert AuditRow.objects.filter(verb="set up one-time codes", outcome="refused").count() == 2
    for _ in range(10):
        answer = begin(client, "guess")
    assert "too many wrong passwords" in begin(client).content.decode(), "the right one waits too"
    assert not CodeMaker.objects.exists()


def test_a_secret_waits_a_quarter_of_an_hour_for_its_first_code(alice):
    for minutes, is_taken in ((16, False), (14, True)):
        services.codes_begin(alice)
        with time_machine.travel(timezone.now() + timedelta(minutes=minutes), tick=False):
            client, _ = knock(alice)
            page = client.get(reverse("people:codes")).content.decode()
            assert ("data:image/svg+xml" in page) is is_taken
            answer = client.post(reverse("people:codes"), {"code": app_code(alice)})
            assert ("Begin again" not in answer.content.decode()) is is_taken
            assert factors.has_codes(alice) is is_taken


def test_who_has_no_password_types_none(bob):
    client = Client()
    client.force_login(bob)
    assert 'name="password"' not in client.get(reverse("people:codes")).content.decode()
    assert client.post(reverse("people:codes_begin")).status_code == 302
    assert CodeMaker.objects.filter(user=bob).exists()


def test_a_secret_that_no_key_opens_is_made_anew_or_told(alice, settings):
    client, _ = knock(alice)
    begin(client)
    settings.MIRROR_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    assert "Set up one-time codes" in client.get(reverse("people:codes")).content.decode()
    assert "Begin again" in client.post(reverse("people:codes"), {"code": "000000"}).content.decode()
    fresh = set_up(alice)
    settings.MIRROR_ENCRYPTION_KEYS = [Fernet.generate_key().decode()]
    again, _ = knock(alice)
    answer = give(again, "000000")
    assert answer.status_code == 422 and "cannot be read with the keys" in answer.content.decode()
    assert give(again, fresh[0]).status_code == 302 and is_in(again)


def test_the_picture_is_what_apps_read(alice):
    maker = services.codes_begin(alice)
    assert (
        services.address_of(maker)
        == f"otpauth://totp/Mirror:alice?digits=6&secret={maker.secret}&algorithm=SHA1&issuer=Mirror&period=30"
    )


def test_codes_are_those_of_the_standard():
    """RFC 6238, appendix B, cut to six digits."""
    totp = services._totp("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    assert [totp.generate(at).decode() for at in (59, 1111111109, 20000000000)] == [
        "287082",
        "081804",
        "353130",
    ]


def test_secret_and_recovery_codes_are_not_in_the_store(alice):
    fresh = set_up(alice)
    secret = CodeMaker.objects.get(user=alice).secret
    with connection.cursor() as cursor:
        cursor.execute("SELECT secret FROM people_codemaker")
        ((kept,),) = cursor.fetchall()
        cursor.execute("SELECT code_hash FROM people_recoverycode")
        hashes = [row[0] for row in cursor.fetchall()]
    assert kept.startswith("gAAAA") and secret not in kept
    assert len(set(hashes)) == len(fresh) == 10
    assert not [code for code in fresh if any(code.replace("-", "") in one for one in hashes)]


# ---------------------------------------------------------------- signing in


def test_a_password_alone_lets_nobody_in(alice):
    set_up(alice)
    client, answer = knock(alice, query="/library/")
    assert answer.url == reverse("people:code") and not is_in(client)
    assert not Session.objects.exclude(user=None).exists()
    for wrong in ("000000", "", "12345", "abcdef", "९९९९९९", "1" * 40):
        assert give(client, wrong).status_code == 422
        services.wrong_passwords.WrongPasswords.objects.all().delete()
    assert not is_in(client)
    spaced = app_code(alice)
    answer = give(client, f"{spaced[:3]} {spaced[3:]}")
    assert answer.url == "/library/" and is_in(client)


def test_a_link_asks_for_the_code_too(alice):
    set_up(alice)
    client = Client()
    answer = client.post(reverse("people:sign_in_link", args=[link_create(alice)]))
    assert answer.url == reverse("people:code") and not is_in(client)
    assert give(client, app_code(alice)).status_code == 302 and is_in(client)


def test_a_link_that_is_opened_where_somebody_else_is_signed_in_asks_for_the_right_code(alice, bob):
    set_up(alice)
    client = Client()
    client.force_login(bob)
    assert client.post(reverse("people:sign_in_link", args=[link_create(alice)])).url == reverse(
        "people:code"
    )
    assert not is_in(client), "Bob is signed out"
    assert give(client, app_code(alice)).status_code == 302
    assert client.session["_auth_user_id"] == str(alice.pk)


def test_a_session_that_was_known_before_the_password_is_worth_nothing_after(alice):
    """Another may have put its key into the browser."""
    set_up(alice)
    client = Client()
    client.post(reverse("people:sign_in_link", args=[link_create(alice)]))
    known = client.session.session_key
    fields = {"username": "alice", "password": PASSWORD}
    assert client.post(reverse("people:sign_in"), fields).url == reverse("people:code")
    assert client.session.session_key != known and not Session.objects.filter(pk=known).exists()


def test_a_code_is_taken_once_and_none_before_it(alice):
    set_up(alice)
    code, before = app_code(alice), app_code(alice, -1)
    assert give(knock(alice)[0], code).status_code == 302
    for old in (code, before):
        again, _ = knock(alice)
        assert give(again, old).status_code == 422 and not is_in(again)
    assert give(knock(alice)[0], app_code(alice, 1)).status_code == 302


def test_the_code_that_set_it_up_is_not_taken_again(alice):
    services.codes_begin(alice)
    code = app_code(alice)
    services.codes_confirm(alice, code)
    assert give(knock(alice)[0], code).status_code == 422


@pytest.mark.parametrize(("later", "is_taken"), [(-2, False), (-1, True), (0, True), (1, True), (2, False)])
def test_a_code_is_good_for_its_half_minute_and_those_beside_it(alice, later, is_taken):
    set_up(alice)
    with time_machine.travel(timezone.now(), tick=False):
        client, _ = knock(alice)
        give(client, app_code(alice, later))
        assert is_in(client) is is_taken


def test_a_half_sign_in_opens_nothing_and_ends_after_ten_minutes(alice):
    set_up(alice)
    client, _ = knock(alice)
    for name in ("people:account", "people:codes", "people:people", "asking:ask"):
        assert client.get(reverse(name)).url.startswith(reverse("people:sign_in"))
    assert client.post(reverse("people:codes_end"), {"code": app_code(alice)}).status_code == 302
    assert client.post(reverse("people:codes_begin")).url == reverse("people:sign_in")
    assert factors.has_codes(alice)
    with time_machine.travel(timezone.now() + timedelta(minutes=11)):
        assert give(client, app_code(alice)).url == reverse("people:sign_in") and not is_in(client)


def test_a_half_sign_in_ends_with_a_changed_password_and_a_shut_out_person(alice, bob):
    for user, end in ((alice, "password"), (with_password(bob), "active")):
        set_up(user)
        client, _ = knock(user)
        if end == "password":
            user.set_password("another long phrase")
        else:
            user.is_active = False
        user.save()
        assert give(client, app_code(user)).url == reverse("people:sign_in") and not is_in(client)


def test_wrong_codes_cost_waits_and_the_right_one_waits_too(alice):
    set_up(alice)
    client, _ = knock(alice)
    with time_machine.travel(timezone.now(), tick=False):
        for _ in range(5):
            assert give(client, "000000").status_code == 422
        answer = give(client, app_code(alice))
        assert answer.status_code == 429 and int(answer["Retry-After"]) == 60
        assert "Try again in 60 seconds" in answer.content.decode()
        other, _ = knock(alice)
        assert give(other, app_code(alice)).status_code == 429, "from another browser too"
    with time_machine.travel(timezone.now() + timedelta(seconds=61)):
        assert give(client, app_code(alice)).status_code == 302
    assert AuditRow.objects.filter(verb="signed in", outcome="refused", who="alice").count() == 5


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_takes_a_code(alice):
    set_up(alice)
    code, taken = app_code(alice), []

    def take() -> None:
        try:
            services.code_check(alice, code)
            taken.append(True)
        except services.CodeError:
            pass
        finally:
            connection.close()

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert taken == [True]


def test_who_comes_by_the_provider_is_not_asked_here(alice, settings):
    settings.OIDC_ISSUER = "https://id.example.com"
    client = Client()
    client.force_login(alice)
    Identity.objects.create(user=alice, issuer=settings.OIDC_ISSUER, subject="x")
    assert client.get(reverse("people:codes")).status_code == 403
    assert client.post(reverse("people:codes_begin")).status_code == 403


# ---------------------------------------------------------------- recovery codes


def test_a_recovery_code_lets_in_once(alice):
    fresh = set_up(alice)
    client, _ = knock(alice)
    assert give(client, fresh[0].lower()).status_code == 302 and is_in(client)
    again, _ = knock(alice)
    assert give(again, fresh[0]).status_code == 422
    assert give(again, fresh[1].replace("-", "")).status_code == 302
    assert AuditRow.objects.filter(verb="used a recovery code").first().details == {"left": 8}
    assert "8 of your recovery codes are left" in client.get(reverse("people:codes")).content.decode()


def test_recovery_codes_are_ones_own(alice, bob):
    fresh = set_up(alice)
    set_up(with_password(bob))
    assert give(knock(bob)[0], fresh[0]).status_code == 422


def test_other_recovery_codes_end_the_earlier_ones_and_need_a_code(alice):
    fresh = set_up(alice)
    client, _ = knock(alice)
    give(client, fresh[0])
    assert client.post(reverse("people:codes"), {"code": "000000"}).status_code == 422
    assert AuditRow.objects.get(outcome="refused").verb == "made recovery codes"
    answer = client.post(reverse("people:codes"), {"code": app_code(alice)})
    assert answer.status_code == 200 and answer.content.decode().count("<li><code>") == 10
    assert give(knock(alice)[0], fresh[1]).status_code == 422


# ---------------------------------------------------------------- turned off, reset, required


def test_codes_are_turned_off_with_a_code(alice):
    fresh = set_up(alice)
    client, _ = knock(alice)
    give(client, fresh[0])
    assert client.post(reverse("people:codes_end"), {"code": "000000"}).status_code == 422
    assert AuditRow.objects.get(outcome="refused").verb == "reset one-time codes"
    assert factors.has_codes(alice)
    assert client.post(reverse("people:codes_end"), {"code": app_code(alice)}).status_code == 302
    assert not factors.has_codes(alice) and not RecoveryCode.objects.exists()
    assert is_in(knock(alice)[0])


def test_an_administrator_resets_codes_and_nobody_else(as_admin, as_bob, as_charlie, alice, admin):
    set_up(alice)
    client, _ = knock(alice)
    give(client, app_code(alice))
    url = reverse("people:person_factor_reset", args=[alice.pk])
    for other in (as_bob, as_charlie):
        assert other.post(url).status_code == 403
    assert "Reset second factor" in as_admin.get(reverse("people:people")).content.decode()
    assert as_admin.post(url).status_code == 302
    assert not factors.has_codes(alice) and not is_in(client), "signed out, should it be somebody else"
    row = AuditRow.objects.filter(verb="reset one-time codes").first()
    assert (row.who, row.thing) == (admin.username, "alice")
    assert "has no second factor" in as_admin.post(url, follow=True).content.decode()
    set_up(admin)
    assert as_admin.post(reverse("people:person_factor_reset", args=[admin.pk])).status_code == 302
    assert factors.has_codes(admin), "one's own need a code"


def test_a_shell_resets_codes(alice, capsys):
    set_up(alice)
    call_command("reset_codes", "alice")
    assert not factors.has_codes(alice)
    for name in ("alice", "nobody"):
        with pytest.raises(CommandError):
            call_command("reset_codes", name)


def test_a_setting_asks_codes_of_administrators(settings, admin, alice):
    settings.SECOND_FACTOR_REQUIRED = "administrators"
    with_password(admin)
    assert is_in(knock(alice)[0]), "of nobody else"
    client, answer = knock(admin, query="/library/")
    assert answer.url == reverse("people:codes") and not is_in(client)
    assert "You need a second factor here" in client.get(answer.url).content.decode()
    client.post(reverse("people:codes_begin"))
    assert client.get(reverse("people:people")).status_code == 302, "not in before the first code"
    answer = client.post(reverse("people:codes"), {"code": app_code(admin)})
    assert answer.content.decode().count("<li><code>") == 10 and is_in(client)
    assert 'href="/library/">I have kept them' in answer.content.decode(), "the page that was wanted"
    assert "mirror_browser" in answer.cookies, "the browser is known from now on"
    assert client.get(reverse("people:people")).status_code == 200
    page = client.post(reverse("people:codes_end"), {"code": app_code(admin, 1)})
    assert page.status_code == 422 and "cannot be turned off" in page.content.decode()


def test_sessions_from_before_the_setting_and_new_administrators_are_led_there(settings, admin, alice):
    client, _ = knock(alice)
    settings.SECOND_FACTOR_REQUIRED = "administrators"
    assert is_in(client)
    user_make_staff(alice, True, admin)
    for name in ("people:account", "people:people", "asking:ask"):
        assert (
            client.get(reverse(name)).url == f"{reverse('people:codes')}?next={quote(reverse(name), safe='')}"
        )
    assert client.post(reverse("people:team_new"), {"name": "X"}).url == reverse("people:codes")
    begin(client)
    assert client.post(reverse("people:codes"), {"code": app_code(alice)}).status_code == 200
    assert is_in(client)
    settings.SECOND_FACTOR_REQUIRED = "everyone"
    assert is_in(client)


def test_who_had_codes_in_a_session_without_one_gives_one(settings, admin):
    """They were set up in another browser meanwhile."""
    client = Client()
    client.force_login(admin)
    set_up(admin)
    settings.SECOND_FACTOR_REQUIRED = "administrators"
    door = client.get(reverse("people:people")).url
    assert door == f"{reverse('people:code')}?next=%2Fpeople%2F"
    assert give(client, "000000").status_code == 422
    assert client.get(reverse("people:people")).status_code == 302
    assert client.post(door, {"code": app_code(admin)}).url == reverse("people:people")
    assert client.get(reverse("people:people")).status_code == 200


@pytest.mark.parametrize(
    ("query", "leads_to"),
    [
        ("?next=/library/", "/library/"),
        ("?next=https://evil.example.com/", "/"),
        ("?next=index", "/"),
        ("?next=%3Fx=1", "/"),
        ("", "/"),
    ],
)
def test_the_page_that_was_wanted_is_kept_behind_the_second_factor(settings, admin, query, leads_to):
    """In a session that lacks one, which may be led from any page to any door, and where half of a sign-in ended meanwhile."""
    set_up(admin)
    settings.SECOND_FACTOR_REQUIRED = "administrators"
    client = Client()
    client.force_login(admin)
    for name in ("people:factor_ask", "people:factor_give"):
        assert client.get(reverse(name) + query).url == reverse("people:code") + again(query)
    assert client.post(reverse("people:code") + query, {"code": app_code(admin)}).url == leads_to
    stranger = Client()
    for name in ("people:code", "people:codes", "people:factor_give"):
        assert stranger.get(reverse(name) + query).url == reverse("people:sign_in") + again(query)


def again(query: str) -> str:
    """A query as it is written into an address once more."""
    return f"?{QueryDict(query.removeprefix('?')).urlencode()}" if query else ""


def test_a_page_that_was_looked_at_is_remembered_when_a_password_is_typed_later(alice):
    client = with_password(alice) and Client()
    client.get(reverse("people:sign_in"), {"next": "/library/?q=x"})
    answer = client.post(reverse("people:sign_in"), {"username": "alice", "password": PASSWORD, "next": ""})
    assert answer.url == "/library/?q=x"


def test_what_is_no_page_is_not_gone_back_to(settings, admin):
    set_up(admin)
    settings.SECOND_FACTOR_REQUIRED = "administrators"
    client = Client()
    client.force_login(admin)
    assert client.post(reverse("people:team_new"), {"name": "X"}).url == reverse("people:code")
    assert client.get(reverse("people:people"), HTTP_HX_REQUEST="true").url == reverse("people:code")


def test_who_sets_a_factor_up_on_the_way_to_a_page_goes_on_to_it(settings, admin):
    client, _ = knock(with_password(admin))
    settings.SECOND_FACTOR_REQUIRED = "administrators"
    door = client.get(reverse("library:list")).url
    passkeys = f"{reverse('people:passkeys')}?next=%2Flibrary%2F"
    assert f'href="{passkeys}">A passkey</a>' in client.get(door).content.decode()
    assert f'href="{door}">One-time codes</a>' in client.get(passkeys).content.decode()
    begun = client.post(
        reverse("people:codes_begin") + door.removeprefix(reverse("people:codes")), {"password": PASSWORD}
    )
    assert begun.url == door
    page = client.post(door, {"code": app_code(admin)}).content.decode()
    assert 'href="/library/">I have kept them' in page
