"""Django's entry for this subject."""

from typing import Any

from django.apps import AppConfig


class AskingConfig(AppConfig):
    name = "mirror.asking"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make its kinds of work known, and give questions of a source to who wants them: asked lately by somebody, and suggested. Draw rows anew whose columns are shown another way."""
        from mirror.asking.work_kinds import LlmChanges, LlmTellings, Runs, Versions
        from mirror.work.kinds import register

        register(Runs, Versions, LlmChanges, LlmTellings)
        from mirror.knowledge.signals import questions_wanted

        questions_wanted.connect(_questions, dispatch_uid="asking_questions")
        from mirror.results.signals import columns_formatted

        columns_formatted.connect(_formatted, dispatch_uid="asking_formatted")


def _formatted(result: Any, **_: Any) -> None:
    from mirror.asking.services.charts import chart_format

    chart_format(result)


def _questions(source: Any, by: Any, most: int, **_: Any) -> list[str]:
    from mirror.asking.selectors import questions_asked
    from mirror.asking.services.suggesting import questions_first

    return [*questions_asked(by, source, most), *questions_first(source)]
