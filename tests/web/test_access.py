"""The page that says why somebody may or may not do what on a source."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.audit.models import AuditRow
from mirror.people.models import Team
from mirror.people.services import user_create, user_deactivate
from mirror.sources import selectors
from mirror.sources.access import Access, access_of, people_explained, sources_explained
from mirror.sources.models import Source, TeamRole, WithheldRight
from mirror.sources.sight import may_correct

pytestmark = pytest.mark.django_db

PLACE = "sources:access"


def had(told: Access) -> list[bool]:
    return [one.is_had for one in told.rights]


def test_it_says_what_the_pages_go_by_for_every_role(alice, bob, charlie, admin, team, shop):
    yes, no = [True], [False]
    assert had(access_of(alice, shop)) == yes * 8 and access_of(alice, shop).role == "owner"
    assert had(access_of(charlie, shop)) == no * 8 and access_of(charlie, shop).role == ""
    assert had(access_of(admin, shop)) == no * 8, "an administrator sees no source that is not shared"
    assert had(access_of(bob, shop)) == yes * 2 + no * 2 + yes * 2 + no * 2
    row = TeamRole.objects.create(source=shop, team=team, role="viewer")
    assert had(access_of(bob, shop)) == [True, False, False, False, True, True, False, False]
    row.role = "editor"
    row.save()
    for right in WithheldRight.Right:
        WithheldRight.objects.create(source=shop, team=team, right=right)
    told = access_of(bob, shop)
    assert had(told) == yes * 4 + no * 4 and told.role == "editor"
    whys = [one.why for one in told.rights]
    assert whys[1] == f"Through {team} (editor)." and whys[4] == f"The rule “No files” of {team}."
    for person in (alice, bob, charlie, admin):
        answers = (selectors.may_ask, may_correct, selectors.may_edit, selectors.may_take_files)
        assert had(access_of(person, shop))[1:5] == [may(person, shop) for may in answers]


def test_it_names_each_team_and_the_strongest_role(bob, team, shop):
    second = Team.objects.create(name="Second")
    second.members.add(bob)
    shop.teams.add(second)
    TeamRole.objects.create(source=shop, team=team, role="viewer")
    WithheldRight.objects.create(source=shop, team=second, right="files")
    told = access_of(bob, shop)
    assert [(one.name, one.role) for one in told.teams] == [("Analysts", "viewer"), ("Second", "analyst")]
    assert told.role == "analyst" and told.rights[1].why == "Through Second (analyst)."
    assert told.rights[4].is_had and told.rights[4].why == "Through Analysts (viewer)."


def test_an_administrator_and_somebody_shut_out_are_told_apart(bob, admin, team, shop):
    team.members.add(admin)
    told = access_of(admin, shop)
    assert told.rights[2].is_had and told.rights[2].why == "As an administrator who asks it."
    assert told.rights[6].is_had and told.rights[6].why == "As an administrator who sees it."
    user_deactivate(bob, by=admin)
    assert "was shut out" in access_of(bob, shop).shut_out


def test_owners_look_at_their_own_sources_and_at_their_own_people(
    alice, bob, charlie, team, shop, as_alice, as_bob, as_charlie
):
    other = Source.objects.create(owner=charlie, name="others", engine="sqlite", database="/nowhere")
    place = reverse(PLACE)
    assert as_bob.get(place).status_code == 403, "he owns nothing"
    assert set(sources_explained(alice)) == {shop} and set(people_explained(alice)) == {alice, bob}
    page = as_alice.get(f"{place}?person={bob.pk}&source={shop.pk}").content.decode()
    assert "bob on shop: analyst" in page and "Through Analysts (analyst)." in page
    assert "charlie" not in page and "others" not in page
    assert as_alice.get(f"{place}?person={charlie.pk}&source={shop.pk}").status_code == 404
    assert as_alice.get(f"{place}?person={bob.pk}&source={other.pk}").status_code == 404
    assert as_charlie.get(f"{place}?person={bob.pk}&source={shop.pk}").status_code == 404
    assert as_alice.get(f"{place}?person=x&source={shop.pk}").status_code == 404
    assert as_alice.get(f"{place}?person={10**30}&source=1").status_code == 404
    assert not AuditRow.objects.filter(verb="looked at who may do what").exists()


def test_administrators_look_at_all_and_the_audit_tells(charlie, shop, as_admin, admin):
    user_create("dora")
    page = as_admin.get(f"{reverse(PLACE)}?person={charlie.pk}&source={shop.pk}").content.decode()
    assert "charlie on shop: no role" in page and "dora" in page
    assert "It is shared with no team of theirs." in page
    told = AuditRow.objects.get(verb="looked at who may do what")
    assert told.details["person"] == "charlie"
