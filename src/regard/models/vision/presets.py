"""Captioners and answerers by name."""

from .captioner_attend_tell import AttendTellConfig
from .captioner_transformer import TransformerCaptionerConfig
from .grids import ConvGrid, StoredGrid
from .looking import Everywhere, Hard, Soft
from .vqa_stacked import StackedAttentionConfig
from .vqa_top_down import BottomUpTopDownConfig
from .vqa_transformer import TransformerAnswererConfig

SMALL = ConvGrid(channels=(24, 32, 64, 128))
MAPS = StoredGrid(dropout=0.2)


def soft_captioner(*, vocab: int) -> AttendTellConfig:
    """Show, Attend and Tell with soft attention, on a small CNN of its own."""
    return AttendTellConfig(vocab=vocab, grid=SMALL)


def hard_captioner(*, vocab: int) -> AttendTellConfig:
    """The same with hard attention, learned by REINFORCE."""
    return AttendTellConfig(vocab=vocab, grid=SMALL, attention=Hard())


def mean_captioner(*, vocab: int) -> AttendTellConfig:
    """The same without attention: the mean of all places, for comparison."""
    return AttendTellConfig(vocab=vocab, grid=SMALL, attention=Everywhere())


def transformer_captioner(*, vocab: int) -> TransformerCaptionerConfig:
    """A Transformer that writes, on a small CNN of its own."""
    return TransformerCaptionerConfig(
        vocab=vocab, grid=SMALL, model_dim=192, hidden_dim=768, decoder_layers=2
    )


def soft_captioner_lite0(*, vocab: int) -> AttendTellConfig:
    """Soft attention over maps of EfficientNet-Lite0, which stay as they are."""
    return AttendTellConfig(
        vocab=vocab,
        grid=MAPS,
        annotation_dim=512,
        embedding_dim=384,
        hidden_dim=512,
        attention=Soft(attention_dim=384),
        dropout=0.4,
    )


def hard_captioner_lite0(*, vocab: int) -> AttendTellConfig:
    """Hard attention over the same maps."""
    return soft_captioner_lite0(vocab=vocab).model_copy(
        update={"attention": Hard(attention_dim=384)}
    )


def transformer_captioner_lite0(*, vocab: int) -> TransformerCaptionerConfig:
    """A Transformer over the same maps."""
    return TransformerCaptionerConfig(
        vocab=vocab, grid=MAPS, model_dim=384, num_heads=6, hidden_dim=1536, dropout=0.3
    )


def bottom_up_top_down(*, vocab: int, answers: int) -> BottomUpTopDownConfig:
    """One look at a grid, on a small CNN of its own."""
    return BottomUpTopDownConfig(vocab=vocab, answers=answers, grid=SMALL)


def stacked_attention(*, vocab: int, answers: int) -> StackedAttentionConfig:
    """Two looks at a grid, on a small CNN of its own."""
    return StackedAttentionConfig(vocab=vocab, answers=answers, grid=SMALL)


def vqa_transformer(*, vocab: int, answers: int) -> TransformerAnswererConfig:
    """Words that look at a grid, on a small CNN of its own."""
    return TransformerAnswererConfig(vocab=vocab, answers=answers, grid=SMALL)


def bottom_up_top_down_lite0(*, vocab: int, answers: int) -> BottomUpTopDownConfig:
    """One look at maps of EfficientNet-Lite0."""
    return BottomUpTopDownConfig(
        vocab=vocab,
        answers=answers,
        grid=MAPS,
        region_dim=384,
        question_dim=384,
        hidden_dim=384,
        dropout=0.4,
    )


def stacked_attention_lite0(*, vocab: int, answers: int) -> StackedAttentionConfig:
    """Two looks at the same maps."""
    return StackedAttentionConfig(
        vocab=vocab, answers=answers, grid=MAPS, model_dim=384, attention_dim=256, dropout=0.4
    )


def vqa_transformer_lite0(*, vocab: int, answers: int) -> TransformerAnswererConfig:
    """Words that look at the same maps."""
    return TransformerAnswererConfig(
        vocab=vocab, answers=answers, grid=MAPS, model_dim=256, hidden_dim=1024, dropout=0.3
    )
