"""How what people type is read, as settings."""

import re

from pydantic import Field

from regard.config import Config


class Typing(Config):
    """What is done for text that is not as clean as what a model was trained on.

    Every part is off with the value that does nothing: no stand-in, no mark.
    """

    split: bool = True
    """Several sentences of a line are translated one by one."""
    truecase: bool = True
    """Sentences in capitals, or without any, are read in the letters that the vocabulary knows."""
    end_marks: tuple[str, ...] = (".", "?", "!")
    """Marks that a line without any is tried with; what is tried is not written."""
    stand_ins: tuple[str, ...] = ("Tom", "Mary", "Boston", "John", "Paris")
    """Names that the model knows, which stand for those that it does not while it translates; the
    same ones for addresses, codes and pictures. Those that the vocabulary does not know are left
    out."""
    numbers: tuple[str, ...] = ("27", "350", "30")
    """The same for numbers."""
    years: tuple[str, ...] = ("2013", "1987")
    """The same for numbers that may be years."""
    times: tuple[str, ...] = ("2:30",)
    """The same for times of the day."""
    dates: tuple[str, ...] = ("Monday", "Friday")
    """The same for days of a month."""
    ages: tuple[str, ...] = ("30 years old",)
    """The same for ages."""
    margin: float = Field(default=3.0, ge=0)
    """Nats by which a reading with stand-ins for words must be likelier than the one without."""
    most: int = Field(default=16, ge=1)
    """Readings with stand-ins of a sentence at most."""

    def of(self, kind: str, text: str) -> tuple[str, ...]:
        """What stands for an item of a kind that is fixed."""
        if kind == "number":
            return self.years if YEAR.fullmatch(text) else self.numbers
        return {"time": self.times, "date": self.dates, "age": self.ages}[kind]


YEAR = re.compile(r"1[0-9]{3}|20[0-9]{2}")
