"""Where questions come from: files of a user, or stories that we tell."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from pydantic import Field

from regard.data.reading import Question, Stories, read_questions
from regard.data.reading.read import Layout
from regard.data.sources import ExampleFiles, Share, Source

FormName = Literal["spans", "words"]
"""What answers are: stretches of their passages, or words of a closed set."""


class QuestionFiles(ExampleFiles):
    """Questions in files: SQuAD's JSON, bAbI's stories, or columns."""

    examples_are = "questions"

    kept_back: Share = 0.05
    """Share of the passages that is kept back without ``valid``."""
    valid_size: int = Field(default=20_000, ge=1)
    """Questions to validate on at most."""
    layout: Layout | None = None
    """How files are written; by the ends of their names if not given."""
    columns: tuple[int | str, ...] = ()
    """Of passage, question and answer, counted from 1, or their names in a header or in JSON; 1, 2
    and 3, or passage, question and answer, if not given."""

    def read(self, path: str) -> Iterator[Question]:
        """The questions of one file."""
        return read_questions(path, layout=self.layout, columns=self.columns)

    def key(self, example: Any) -> str:
        """The passage, or how a story begins: its questions are kept back together."""
        question: Question = example
        return question.sentences[0] if question.sentences else question.passage

    def held_out(self) -> list[Question]:
        """Those to validate on; of too many every so many, so that all files have their share."""
        found: list[Question] = self._validated()
        count = min(self.valid_size, len(found))
        return [found[number * len(found) // count] for number in range(count)]


class ToldStories(Source):
    """Stories by :mod:`regard.data.reading.stories`: people who carry things about, endless."""

    kind: Literal["stories"] = "stories"
    seed: int = Field(default=0, ge=0)
    """Another seed, other stories."""
    sentences: int = Field(default=8, ge=1, le=200)
    """Sentences of a story."""
    valid_size: int = Field(default=500, ge=1)
    """Questions to validate on."""
    vocabulary_stories: int = Field(default=1000, ge=1)
    """Stories that codecs are learned from."""

    def example(self, number: int) -> Question:
        """The story of a number, counted from 0, without end."""
        return Stories(self.seed, sentences=self.sentences)[number]

    def examples(self) -> Sequence[Question]:
        """The first ones."""
        return [self.example(number) for number in range(self.vocabulary_stories)]

    def held_out(self) -> list[Question]:
        """Stories of the split ``valid``."""
        stories = Stories(self.seed, split="valid", sentences=self.sentences)
        return [stories[number] for number in range(self.valid_size)]

    @property
    def about(self) -> str:
        """There is nothing to read."""
        return f"{self.name}, endless"

    @property
    def name(self) -> str:
        """What decides the stories."""
        return f"regard's own stories of {self.sentences} sentences, seed {self.seed}"

    @property
    def origin(self) -> str:
        """They are nobody's."""
        return "generated; no licence needed"
