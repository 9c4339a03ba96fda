"""Autoencoding as a task: everything that training asks about it."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, field_validator, model_validator

from regard.data.running import GrammarText, TextCodec, TextFiles
from regard.data.running.codec import VocabularyConfig
from regard.training.flags import Flag
from regard.training.task import Comparison, Fact, Measure, Units

from ..data_task import DATA, DataTask, data_flags, vocabulary_flags
from .codec import AutoCodec, FrameCodec
from .data import PictureFiles, kind_of
from .noise import Noise

if TYPE_CHECKING:
    from regard.data.batches import Pools

    from .corpus import Texts

MEASURES = (
    Measure("loss", "loss", best=0.0, better="lower", decimals=4),
    Measure("exact", "exact", best=1.0, percent=True, decimals=2),
    Measure("token_accuracy", "token accuracy", best=1.0, percent=True, decimals=2),
    Measure("psnr", "PSNR in dB", best=100.0, decimals=2),
)
"""Of texts nats per token, the share that comes back to the character, and the share of tokens that
stand in their place; of pictures the squared error of colours and its logarithm."""

DENOISING, PICTURES = "Denoising", "Pictures"
FLAGS = (
    *data_flags(
        "English sentences of our own grammar",
        "one text in a hundred, or picture in ten, of --data",
    ),
    Flag("max_words", ("task.data.max_words",), DATA, default="12 of the grammar"),
    Flag("length", ("task.length",), DATA),
    *vocabulary_flags("level", "size"),
    Flag("picture_size", ("task.size",), PICTURES, of_codec=True),
    Flag("pictures", ("task.data.pictures",), PICTURES, needs="data"),
    Flag("columns", ("task.data.columns",), PICTURES, default="label name", needs="data"),
    Flag("dropped", ("task.noise.dropped",), DENOISING),
    Flag("hidden", ("task.noise.hidden",), DENOISING),
    Flag("shuffled", ("task.noise.shuffled",), DENOISING),
    Flag("gaussian", ("task.noise.gaussian",), DENOISING),
)
POOL = 4096
"""Sentences of the grammar that are sorted by length together."""


class AutoencodingTask(DataTask):
    """The same again through one vector: texts, or pictures, as the data is."""

    measures: ClassVar[tuple[Measure, ...]] = MEASURES
    own_flags: ClassVar[tuple[Flag, ...]] = FLAGS
    default_model: ClassVar[str] = "autoencoder"
    example: ClassVar[str] = (
        "regard reconstruct --file texts-or-names-of-pictures.txt --model {model}"
    )

    kind: Literal["autoencoding"] = "autoencoding"
    data: Annotated[GrammarText | TextFiles | PictureFiles, Field(discriminator="kind")] = (
        GrammarText()
    )
    """Where texts or pictures come from."""
    noise: Noise = Noise()
    """What happens to them on the way in, where the way back is to undo it."""
    length: int = Field(default=64, ge=1)
    """Tokens of a text at most; longer ones are left out."""
    vocabulary: VocabularyConfig = VocabularyConfig()
    """Which tokens there are."""
    size: int | None = Field(default=None, ge=1)
    """Pixels of a side at which pictures are seen; their own if all have one size, 64 otherwise."""

    @field_validator("data", mode="before")
    @classmethod
    def _kind_of_data(cls, value: Any) -> Any:
        """What is named says whether it is text or pictures; without, it is our grammar."""
        if not isinstance(value, Mapping):
            return value
        found = kind_of(value)
        return found if "kind" in found else {"kind": "grammar", **found}

    @model_validator(mode="after")
    def _noise_fits(self) -> "AutoencodingTask":
        self.noise.require_for("pictures" if self.of_pictures else "texts")
        return self

    @property
    def units(self) -> Units:
        """Pictures, or tokens of texts."""
        return Units("pictures", "pictures") if self.of_pictures else Units()

    @property
    def of_pictures(self) -> bool:
        """Whether it is about pictures."""
        return isinstance(self.data, PictureFiles)

    def learn(self) -> AutoCodec:
        """The tokens of the texts, or size and colours of the pictures."""
        if isinstance(self.data, PictureFiles):
            return self.data.frame(self.size)
        return self.vocabulary.learn(self.data.paragraphs())

    def pools(self, codec: Any, *, longest: int | None) -> "Pools[Any]":
        """Texts as numbers, other noise every time; or pictures in memory as bytes."""
        from regard.data.batches import EndlessPools, FinitePools
        from regard.data.running.pools import DrawnPools

        from .corpus import Pictures

        if isinstance(self.data, PictureFiles):
            corpus = Pictures(self.data.training(codec.size)[0])
            return FinitePools(corpus, size=max(1, len(corpus)))
        encoded = partial(self._encoded, codec=codec, longest=longest)
        if isinstance(self.data, TextFiles):
            return DrawnPools(FinitePools(encoded(self.data.paragraphs())))
        name = f"{self.data!r}, {self.noise!r}"
        return DrawnPools(EndlessPools(self.data.example, encoded, name=name, size=POOL))

    def _encoded(self, texts: Any, *, codec: TextCodec, longest: int | None) -> "Texts":
        from .corpus import encode

        # by their numbers, sentences are a text each: none of the grammar's is left out
        most = None if isinstance(self.data, GrammarText) else self._at_most(longest)
        return encode(texts, codec.tokens, self.noise, longest=most)

    def _at_most(self, longest: int | None) -> int:
        return self.length if longest is None else min(self.length, longest)

    def objective(self, model: Any) -> Any:
        """The negative log-likelihood of tokens, or the squared error of colours."""
        from .objective import PictureObjective, TextObjective

        if self.of_pictures:
            return PictureObjective(model, noise=self.noise)
        return TextObjective(model, pad=model.config.pad)

    def validator(self, codec: Any, *, max_tokens: int, longest: int | None) -> Any:
        """Texts or pictures held out."""
        from .validation import PictureValidator, TextValidator

        if isinstance(self.data, PictureFiles):
            return PictureValidator(self.data.held_out_pixels(codec.size), codec)
        most = None if isinstance(self.data, GrammarText) else self._at_most(longest)
        texts = self.data.held_out()
        return TextValidator(texts, codec, max_tokens=max_tokens, longest=most)

    def going_on(self, settings: Mapping[str, Any], codec: AutoCodec) -> "AutoencodingTask":
        """The same with the vocabulary, or at the size, of a model that is trained already."""
        if isinstance(codec, FrameCodec):
            return self.model_copy(update={"size": settings.get("size", self.size)})
        return super().going_on(settings, codec)

    @property
    def about_samples(self) -> str:
        """The first of those that are validated on."""
        return "pictures it is validated on" if self.of_pictures else "texts it is validated on"

    def about_codec(self, codec: AutoCodec) -> str:
        """Kind and number of tokens, or the size of pictures."""
        if isinstance(codec, FrameCodec):
            return f"{codec.height} × {codec.width} pixels"
        return f"{self.vocabulary.level}, {len(codec.tokens):,} tokens"

    def facts(self, codec: AutoCodec) -> list[Fact]:
        """Codec, data and whose it is."""
        first, *others = super().facts(codec)
        if isinstance(codec, FrameCodec):
            first = Fact("pictures", f"{self.about_codec(codec)}, squeezed to that size")
        return [first, *others]

    def compared(self, before: Any, after: Any, count: int) -> Comparison:
        """The first texts or pictures held out."""
        from .validation import compared_pictures, compared_texts

        if isinstance(self.data, PictureFiles):
            pixels = self.data.held_out_pixels(before.codec.size)[:count]
            return compared_pictures(before, after, pixels)
        return compared_texts(before, after, self.data.held_out()[:count])


TASK = AutoencodingTask
