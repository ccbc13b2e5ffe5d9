"""Whether a question is in another language than English, by the small words that no sentence does without."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlagent.language.lexicon import words_of

_ENGLISH = words_of("the of by how many much what which who per for with show list is are was were and each")
_SMALL = {
    "German": words_of("wie viele viel der die das den dem des ein eine und oder mit ohne pro je im am vom zum nach von für aller alle "
                       "welche welcher welches welchem welchen wer was wo wann warum gibt hat haben bei aus auf als seit bis zwischen um diesem diesen dieses "
                       "diese dieser letztem letzter letzte vorigen jahres monats woche tag meisten wenigsten beste besten mehr weniger über unter "
                       "zeige zeig liste wurden wurde war waren ist sind hoch nicht kein keine letzten letztes jahr monat anzahl umsatz summe"),
    "French": words_of("combien le la les des du de un une et ou avec sans par dans sur ont été est sont était quel quelle quels quelles "
                       "nombre mois année dernier dernière chiffre d'affaires ventes moyenne"),
    "Spanish": words_of("cuántos cuántas cuanto cuánto el la los las de del un una y o con sin por en fueron fue es son qué cuál cuáles "
                        "número mes año último ventas ingresos promedio"),
    "Italian": words_of("quanti quante quanto il lo la gli le dei delle della di un una e o con senza per nel sono è stati quale quali "
                        "numero mese anno ultimo vendite ricavi media"),
    "Dutch": words_of("hoeveel de het een en of met zonder per in van voor zijn waren werd werden welke wat aantal maand jaar omzet gemiddelde"),
    "Portuguese": words_of("quantos quantas quanto o os as do da dos das de um uma e ou com sem por em foram foi é são qual quais "
                           "número mês ano último vendas receita média"),
}  # fmt: skip


def language_of(words: Sequence[str], unknown: Collection[str]) -> str:
    """Name the language of a question; empty where it is English or too little tells.

    Only words that nothing here explains are counted as another language's: a source may well have German names.

    Example:
        >>> language_of("combien de commandes ont été livrées en 2025".split(), {"combien", "ont", "été", "livrées"})
        'French'
        >>> language_of("orders by die size".split(), {"die"})
        ''
        >>> language_of("kunden nach land".split(), {"kunden", "nach", "land"})
        'German'
    """
    lows = [w.lower() for w in words]
    strange = {w.lower() for w in unknown}
    best = max(_SMALL, key=lambda name: sum(len(w) > 1 and w in _SMALL[name] for w in lows))
    hits = [w for w in lows if len(w) > 1 and w in _SMALL[best]]
    own = sum(w in _ENGLISH for w in lows)
    telling = sum(w in strange for w in hits)
    if not hits or not telling or len(hits) <= own or 3 * len(strange) < len(lows):
        return ""
    # One small word tells among words of which none is known here: "Kunden nach Land".
    return best if len(hits) >= 2 or not own and len(lows) > 2 and all(w in strange for w in lows) else ""
