"""Countries and the codes that ISO 3166 gives them, for columns that store codes where people say names."""

from __future__ import annotations

_LISTED = """
argentina AR ARG; australia AU AUS; austria AT AUT; belgium BE BEL; brazil BR BRA; bulgaria BG BGR; canada CA CAN; chile CL CHL; china CN CHN;
colombia CO COL; croatia HR HRV; cyprus CY CYP; czech republic CZ CZE; czechia CZ CZE; denmark DK DNK; egypt EG EGY; estonia EE EST; finland FI FIN;
france FR FRA; germany DE DEU; greece GR GRC; hong kong HK HKG; hungary HU HUN; iceland IS ISL; india IN IND; indonesia ID IDN; ireland IE IRL;
israel IL ISR; italy IT ITA; japan JP JPN; kenya KE KEN; latvia LV LVA; lithuania LT LTU; luxembourg LU LUX; malaysia MY MYS; malta MT MLT;
mexico MX MEX; morocco MA MAR; netherlands NL NLD; holland NL NLD; new zealand NZ NZL; nigeria NG NGA; norway NO NOR; peru PE PER;
philippines PH PHL; poland PL POL; portugal PT PRT; romania RO ROU; russia RU RUS; saudi arabia SA SAU; serbia RS SRB; singapore SG SGP;
slovakia SK SVK; slovenia SI SVN; south africa ZA ZAF; south korea KR KOR; korea KR KOR; spain ES ESP; sweden SE SWE; switzerland CH CHE;
taiwan TW TWN; thailand TH THA; turkey TR TUR; ukraine UA UKR; united arab emirates AE ARE; united kingdom GB GBR UK; great britain GB GBR UK;
britain GB GBR UK; england GB GBR UK; united states US USA; america US USA; vietnam VN VNM
"""

COUNTRY_CODES: dict[str, frozenset[str]] = {
    " ".join(w for w in line.split() if not w.isupper()): frozenset(w for w in line.split() if w.isupper())
    for line in _LISTED.split(";")
}
"""The codes of each country, by its name in lower case."""
