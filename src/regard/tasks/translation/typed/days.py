"""Dates and ages: a stand-in for either is translated, and what was typed is told in its place.

*I was born on 4 July 1999* is read as *I was born on Monday*; where the translation has *lundi*, it
tells *le 4 juillet 1999*. A language whose stand-ins are not in ``TOLD`` goes without.
"""

import re
from collections.abc import Iterator

from regard.data.vocabulary import Span

MONTHS = {
    "january": "janvier",
    "february": "février",
    "march": "mars",
    "april": "avril",
    "may": "mai",
    "june": "juin",
    "july": "juillet",
    "august": "août",
    "september": "septembre",
    "october": "octobre",
    "november": "novembre",
    "december": "décembre",
}
"""Months, English and French."""
WEEKDAYS = {
    "monday": "lundi",
    "tuesday": "mardi",
    "wednesday": "mercredi",
    "thursday": "jeudi",
    "friday": "vendredi",
    "saturday": "samedi",
    "sunday": "dimanche",
}
"""Days of the week, English and French."""
TOLD = {
    day.capitalize(): rf"(?:\b[Ll]e )?\b[{told[0]}{told[0].upper()}]{told[1:]}\b"
    for day, told in WEEKDAYS.items()
} | {"30 years old": r"\b(?:30|[Tt]rente) ans\b"}
"""Where a stand-in is in a French translation."""

_SHORT = "|".join(sorted({one[:3] for one in MONTHS} | {"sept"}, reverse=True))
_MONTH = rf"(?P<month>{'|'.join(MONTHS)}|{_SHORT})\b\.?"
DATE = rf"""
    (?:\b(?P<weekday>{"|".join(WEEKDAYS)}),?\s)?
    (?: \b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s(?:of\s)?{_MONTH}
      | \b{_MONTH.replace("<month>", "<first>")}\s(?P<second>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:) )
    (?:,?\s(?P<year>\d{{4}})\b)?
"""
"""A day of a month, perhaps with its weekday and its year, in English."""
_BEFORE = "|".join(
    rf"(?<=\b{one}\s)" for one in (r"I'm", r"I\sam", r"he's", r"she's", r"he\sis", r"she\sis")
)
AGE = rf"\b\d{{1,3}}\syears\sold\b | (?:{_BEFORE})\d{{2}}(?=[.!?]*$|,|\sand\b)"
"""How old somebody is, with its words or where nothing else is meant."""
_DATE = re.compile(DATE, re.VERBOSE | re.IGNORECASE)


def french(typed: str) -> str:
    """A date or an age in French.

    >>> french("July 4, 1999")
    'le 4 juillet 1999'
    >>> french("93 years old")
    '93 ans'
    """
    found = _DATE.fullmatch(typed)
    if found is None:
        return f"{typed.split()[0]} ans"
    short = (found["month"] or found["first"]).lower()[:3]
    month = next(told for name, told in MONTHS.items() if name.startswith(short))
    day = str(int(found["day"] or found["second"]))
    parts = [WEEKDAYS.get((found["weekday"] or "").lower(), ""), "1er" if day == "1" else day]
    return " ".join(["le", *filter(None, parts), month, *filter(None, [found["year"]])])


def told_as(stand_in: str, typed: str, text: str) -> Iterator[tuple[Span, str]]:
    """Where a stand-in is in a translation, and what is to be there."""
    pattern = TOLD.get(stand_in, r"(?!)")
    for found in re.finditer(pattern, text):
        new = french(typed)
        capital = found[0][0].isupper() or (found.start() == 0 and text[-1:] in ".!?")
        yield found.span(), new[0].upper() + new[1:] if capital else new
