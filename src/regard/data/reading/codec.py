"""Between questions with their passages and numbers."""

from collections.abc import Mapping
from pathlib import Path

from ..annotated.codec import LabelCodec, codec_from


class ReadingCodec(LabelCodec):
    """Words, the characters of words, and answers, where these are a closed set."""

    def sizes(self) -> dict[str, int]:
        """What a model's config needs to know: readers of spans spell, others have answers."""
        found = super().sizes()
        del found["characters" if self.labels else "labels"]
        return found

    @classmethod
    def of(cls, codec: LabelCodec) -> "ReadingCodec":
        """The same, of whatever texts it was learned."""
        return cls(codec.tokens, codec.labels, codec.characters)

    @classmethod
    def from_files(cls, files: Mapping[str, bytes], folder: Path) -> "ReadingCodec":
        """What :meth:`files` gave.

        Raises:
            InputError: a file is missing or damaged.
        """
        return cls.of(codec_from(files, folder))
