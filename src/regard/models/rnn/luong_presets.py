"""Presets of Luong's model: every score, every way of looking."""

from .attention_configs import Global, Hard, LocalM, LocalP
from .luong import LuongConfig


def luong_general_small(*, source_vocab: int, target_vocab: int) -> LuongConfig:
    """One layer of 256 read both ways, global attention, score *general*."""
    return LuongConfig(
        source_vocab=source_vocab,
        target_vocab=target_vocab,
        embedding_dim=256,
        hidden_dim=256,
        num_layers=1,
        directions="both",
        dropout=0.1,
    )


def luong_dot_small(*, source_vocab: int, target_vocab: int) -> LuongConfig:
    """The same with the score *dot*."""
    small = luong_general_small(source_vocab=source_vocab, target_vocab=target_vocab)
    return small.model_copy(update={"attention": Global(score="dot")})


def luong_concat_small(*, source_vocab: int, target_vocab: int) -> LuongConfig:
    """The same with the score *concat*."""
    small = luong_general_small(source_vocab=source_vocab, target_vocab=target_vocab)
    return small.model_copy(update={"attention": Global(score="concat")})


def luong_location_small(*, source_vocab: int, target_vocab: int) -> LuongConfig:
    """The same with the score *location*, for sources of up to 256 tokens."""
    small = luong_general_small(source_vocab=source_vocab, target_vocab=target_vocab)
    return small.model_copy(update={"attention": Global(score="location", max_length=256)})


def luong_local_m_small(*, source_vocab: int, target_vocab: int) -> LuongConfig:
    """The same with a window around the current step."""
    small = luong_general_small(source_vocab=source_vocab, target_vocab=target_vocab)
    return small.model_copy(update={"attention": LocalM()})


def luong_local_p_small(*, source_vocab: int, target_vocab: int) -> LuongConfig:
    """The same with a window around a predicted position."""
    small = luong_general_small(source_vocab=source_vocab, target_vocab=target_vocab)
    return small.model_copy(update={"attention": LocalP()})


def hard_small(*, source_vocab: int, target_vocab: int) -> LuongConfig:
    """The same, but one position is looked at, learned by REINFORCE."""
    small = luong_general_small(source_vocab=source_vocab, target_vocab=target_vocab)
    return small.model_copy(update={"attention": Hard()})


def luong_paper(*, source_vocab: int, target_vocab: int) -> LuongConfig:
    """The best single model of the paper: four layers of 1000, local-p, input feeding."""
    config = LuongConfig(source_vocab=source_vocab, target_vocab=target_vocab)
    return config.model_copy(update={"attention": LocalP()})
