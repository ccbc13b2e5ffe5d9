"""Every address, a subject at a time."""

from __future__ import annotations

from django.urls import include, path

from mirror.health.views import healthz, livez, readyz

handler400 = "mirror.error_pages.unreadable"
handler403 = "mirror.error_pages.forbidden"
handler404 = "mirror.error_pages.not_found"

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("livez", livez, name="livez"),
    path("readyz", readyz, name="readyz"),
    path("", include("mirror.people.urls")),
    path("sources/", include("mirror.sources.urls")),
    path("language-models/", include("mirror.llms.urls")),
    path("library/", include("mirror.library.urls")),
    path("sources/", include("mirror.knowledge.urls")),
    path("results/", include("mirror.results.urls")),
    path("exports/", include("mirror.exports.urls")),
    path("editor/", include("mirror.queries.urls")),
    path("sql/", include("mirror.workbench.urls")),
    path("dashboards/", include("mirror.dashboards.urls")),
    path("share/", include("mirror.sharing.urls")),
    path("comments/", include("mirror.comments.urls")),
    path("reports/", include("mirror.reports.urls")),
    path("go/", include("mirror.palette.urls")),
    path("account/", include("mirror.api.urls")),
    path("people/services/", include("mirror.api.account_urls")),
    path("sources/", include("mirror.agents.urls")),
    path("api/v1/", include("mirror.api.v1_urls")),
    path("", include("mirror.upkeep.urls")),
    path("", include("mirror.asking.urls")),
]
