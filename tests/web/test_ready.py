"""Whether a web process lives, and whether it is ready: told apart, each in its own words."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

from mirror.health import services


@pytest.mark.parametrize("host", ["testserver", "203.0.113.7"])
def test_it_lives_whatever_is_down(client, monkeypatch, host):
    """No mark: a test that asks the store without one fails."""
    monkeypatch.setattr(services.threading, "Thread", None)
    answer = client.get("/livez", headers={"host": host, "cookie": "sessionid=x"})
    assert (answer.status_code, answer.json()) == (200, {"status": "alive"})


@pytest.mark.django_db(transaction=True)
def test_it_is_ready_without_workers_and_says_what_it_lacks(client, settings, tmp_path):
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path)}
    assert client.get("/healthz").status_code == 503, "no worker has started"
    assert (client.get("/readyz").status_code, client.get("/readyz").json()) == (200, {"status": "ready"})
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path / "gone")}
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["missing"] == {"broker": "The broker does not answer; the log says why."}


@pytest.mark.django_db(transaction=True)
def test_a_store_of_another_version_is_told_and_its_migration_stands_in_the_log_alone(
    client, settings, tmp_path, caplog
):
    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path)}
    done = MigrationRecorder(connection)
    done.record_applied("people", "9999_of_tomorrow")
    answer = client.get("/readyz")
    assert answer.json()["missing"]["migrations"].startswith("The store is of a newer Mirror.")
    assert "9999" not in answer.content.decode()
    assert "it has 9999_of_tomorrow" in caplog.text
    done.record_unapplied("people", "9999_of_tomorrow")
    done.record_unapplied("health", "0003_heartbeat_parts")
    try:
        answer = client.get("/readyz", headers={"host": "203.0.113.7"})
        assert answer.status_code == 503
        assert answer.json()["missing"]["migrations"].startswith("The store lacks 1 migration.")
    finally:
        done.record_applied("health", "0003_heartbeat_parts")
    assert client.get("/readyz").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_a_store_that_is_away_makes_it_unready_and_tells_nothing_of_it(
    client, settings, monkeypatch, tmp_path
):
    def away() -> dict[str, str]:
        raise OSError("password of postgres@10.0.0.1")

    settings.CELERY_BROKER_TRANSPORT_OPTIONS = {"data_folder_in": str(tmp_path)}
    monkeypatch.setattr(services, "_TABLES", services._Look(away))
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["missing"] == {"store": "The store does not answer; the log says why."}
