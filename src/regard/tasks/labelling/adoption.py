"""Fine-tuning: the encoder of a model of hidden tokens, with a new head for labels."""

from regard.data.annotated import LabelCodec
from regard.data.running import TextCodec
from regard.data.vocabulary import Pieces, TokenizerJson
from regard.data.vocabulary.first_pieces import FirstPieces
from regard.data.vocabulary.plain_words import Splitting
from regard.errors import ChoiceError
from regard.models.text import ClassifierConfig, TaggerConfig, TextConfig
from regard.models.text.config import PoolingConfig
from regard.storage.stored_model import StoredModel

ENCODER = "text."
"""How the names of the weights of an encoder begin, in every model around one."""
POOLER = "pooler."
"""How those of BERT's pooler begin, which a classifier takes over too."""


def adopted(
    origin: StoredModel, labels: tuple[str, ...], *, per_word: bool, splitting: Splitting
) -> StoredModel:
    """A tagger or a classifier that reads as another model does.

    Devlin et al. 2019, section 3.2 (https://arxiv.org/abs/1810.04805). A tagger sees the first part
    of every word.

    Args:
        origin: a model of hidden tokens.
        labels: of the head, which is new.
        per_word: whether every word has a label, or every text.
        splitting: where a tagger cuts running text.

    Raises:
        ChoiceError: a tagger needs parts of words.
    """
    assert isinstance(origin.config, TextConfig) and isinstance(origin.codec, TextCodec)
    tokens = origin.codec.tokens
    if per_word:
        if not isinstance(tokens, Pieces | TokenizerJson):
            raise ChoiceError(
                "a tagger needs a model of parts of words to begin with, this one reads "
                f"{tokens.kind}; train one by: regard train fill-mask --level bpe"
            )
        tokens = FirstPieces(tokens, splitting=splitting)
    codec = LabelCodec(tokens, labels)
    shared = {name: getattr(origin.config, name) for name in TextConfig.model_fields}
    fields = {**shared, **codec.sizes()} | {"kind": "tagger" if per_word else "classifier"}
    weights = {name: value for name, value in origin.weights.items() if name.startswith(ENCODER)}
    if not per_word and getattr(origin.config, "pooler", False):
        fields["pooling"] = PoolingConfig(kind="pooler")
        weights |= {
            f"pooling.{name.removeprefix(POOLER)}": value
            for name, value in origin.weights.items()
            if name.startswith(POOLER)
        }
    config = (TaggerConfig if per_word else ClassifierConfig)(**fields)
    told = {} if per_word else {"vocabulary": {"level": "bpe", "size": max(8, len(tokens))}}
    return StoredModel(told, config, weights, codec, origin.ancestor)
