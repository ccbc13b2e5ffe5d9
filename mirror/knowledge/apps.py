"""Django's entry for this subject."""

from typing import Any

from django.apps import AppConfig


class KnowledgeConfig(AppConfig):
    name = "mirror.knowledge"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make its kinds of work known, and give its terms to editors; look at what is known again whenever a source's tables, or what may run there, changed."""
        from mirror.knowledge.work_kinds import Evaluations, Improvements, PosedRounds, Trials
        from mirror.queries.signals import terms_wanted
        from mirror.sources.signals import catalog_read_anew, policy_changed
        from mirror.work.kinds import register

        register(Trials, PosedRounds, Evaluations, Improvements)
        terms_wanted.connect(_terms, dispatch_uid="knowledge_terms")
        for signal in (catalog_read_anew, policy_changed):
            signal.connect(_look_again, dispatch_uid="knowledge_look_again")


def _terms(source: Any, **_: Any) -> Any:
    from mirror.knowledge.knowing import terms_of

    return terms_of(source)


def _look_again(source: Any, catalog: Any, **_: Any) -> None:
    from mirror.knowledge.drift_services import problems_keep

    problems_keep(source, catalog)
