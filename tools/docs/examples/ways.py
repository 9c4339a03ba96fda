"""Ways of attending: modules, trained where there is something to align, and masks."""

import torch
from torch import Tensor
from torch.nn.functional import pad

from regard import cells, masks, nn, weigh
from regard.lens import capture
from regard.lens.examples import sentence

from .example import Map, sharper, shows
from .french import FRENCH, placed
from .learned import taught
from .trained import trained


@shows("global (soft)")
def soft() -> Tensor:
    """Every word looks at every word."""
    x = sentence()
    return weigh(x, x)


@shows("local-m")
def local_m() -> Tensor:
    """A window of one word on each side of the step."""
    x = sentence()
    attention = nn.LocalAttention(8, 8, half_width=1, score="dot")
    with capture(attention) as record:
        attention.contexts(x, attention.prepare(x))
    return record[""].weights


@shows("local-p")
def local_p() -> Map:
    """Each state predicts where its window lies, here learned from the links of this pair of
    sentences; a Gaussian around the predicted place lowers the weights.
    """
    french, english = placed()
    attention = taught(nn.LocalAttention(8, 8, half_width=2, predictive=True))
    with capture(attention) as record:
        attention.contexts(french, attention.prepare(english))
    return Map(record[""].weights, queries=FRENCH)


@shows("hard (stochastic)")
def hard() -> Map:
    """The distribution from which one word per state is drawn, learned from the links of this pair
    of sentences.
    """
    french, english = placed()
    attention = taught(nn.HardAttention(8, 8).eval())
    with capture(attention) as record:
        attention.contexts(french, attention.prepare(english))
    return Map(record[""].weights, queries=FRENCH)


@shows("self (intra)")
def self_attention() -> Tensor:
    """Queries, keys and values are projections of the same words."""
    x = sentence()
    attention = sharper(nn.SelfAttention(8, 4))
    with capture(attention) as record:
        attention(x)
    return record[""].weights.reshape(6, 6)


@shows("causal (masked)")
def causal() -> Tensor:
    """No word sees a later one."""
    x = sentence()
    return weigh(x, x, mask=masks.causal())


@shows("cross")
def cross() -> Map:
    """Trained: the head of the translator *en-fr-transformer* that was guided towards word links.
    At the left is the token it writes next, above what it looks at in the English sentence.
    """
    reading = trained("en-fr-transformer")
    with capture(reading.model) as record:
        reading.model(*reading.batch)
    weights = record["decoder.1.cross"].weigh(heads=0)[0]
    return Map(weights, queries=reading.target, keys=reading.source)


@shows("multi-head")
def multi_head() -> Map:
    """Trained: the four heads in the last layer of the encoder of the translator
    *en-fr-transformer*. Head 0 looks back, often at the token before, head 1 ahead; the
    word links that guided its decoder say nothing about that.
    """
    reading = trained("en-fr-transformer")
    with capture(reading.model) as record:
        reading.model(*reading.batch)
    weights = record["encoder.2.attention"].weights[0]
    return Map(weights, queries=reading.source, keys=reading.source)


@shows("grouped and multi-query")
def grouped() -> Tensor:
    """Four heads of queries share one head of keys."""
    x = sentence()
    attention = sharper(nn.MultiHeadAttention(8, 4, num_key_heads=1))
    with capture(attention) as record:
        attention(x)
    return record[""].weights


@shows("Bahdanau")
def bahdanau() -> Map:
    """Trained: the translator *en-fr-bahdanau*. Before every token that it writes, at the left, its
    decoder looks at the English sentence; *chat noir* crosses over from *black cat*. Word links
    guided its training.
    """
    reading = trained("en-fr-bahdanau")
    with capture(reading.model) as record:
        reading.model(*reading.batch)
    weights = record["attention"].weights[0]
    return Map(weights, queries=reading.target, keys=reading.source)


@shows("Luong")
def luong() -> Map:
    """The bilinear score *general*, its matrix learned from the links of this pair of sentences."""
    french, english = placed()
    attention = taught(nn.LuongAttention(8, 8, score="general"))
    with capture(attention) as record:
        attention.contexts(french, attention.prepare(english))
    return Map(record[""].weights, queries=FRENCH)


@shows("output of another length")
def another_length() -> Map:
    """Six words look at each other, then W^o mixes the six results into three: what each output
    takes from each word.
    """
    x = sentence()
    attention = sharper(nn.SelfAttention(8, 4, input_length=6, output_length=3))
    with capture(attention) as record:
        attention(x)
    mixed = attention.length_map @ record[""].weights.reshape(6, 6)
    return Map(mixed, queries=["output 0", "output 1", "output 2"])


@shows("sliding window")
def window() -> Tensor:
    """Two words back, one ahead."""
    x = sentence()
    return weigh(x, x, mask=masks.window(2, 1))


@shows("strided")
def strided() -> Tensor:
    """Every second word, counted from the query."""
    x = sentence()
    return weigh(x, x, mask=masks.strided(2))


@shows("block-sparse")
def blocks() -> Tensor:
    """Blocks of two words; a layout says which blocks see which."""
    x = sentence()
    layout = torch.tensor([[True, False, True], [False, True, False], [True, True, True]])
    return weigh(x, x, mask=masks.blocks(2, layout))


@shows("global tokens")
def global_tokens() -> Tensor:
    """*cat* sees all and is seen by all; the others see their neighbours."""
    x = sentence()
    return weigh(x, x, mask=masks.window(1) | masks.global_tokens([2]))


@shows("chunked, with carried memory")
def chunked() -> Tensor:
    """Chunks of two words; each also sees the two words before it."""
    x = sentence()
    attention = sharper(nn.MultiHeadAttention(8, 1), 2.0)
    chunks = nn.ChunkedAttention(attention, chunk_length=2, memory_length=2)
    with capture(chunks) as record:
        chunks(x)
    weights = torch.zeros(6, 6)
    for i, look in enumerate(record["attention"].looks):
        seen = look.weigh().reshape(2, -1)
        weights[2 * i : 2 * i + 2, 2 * i + 2 - seen.shape[-1] : 2 * i + 2] = seen
    return weights


@shows("attention over LSTM (LSTMN)")
def lstmn() -> Tensor:
    """Before each word is read, the cell looks back at all it has read; the first word has nothing
    to look at.
    """
    x = sentence()
    cell = sharper(cells.LSTMN(8, 8))
    with capture(cell) as record:
        cells.Recurrent(cell)(x)
    rows = [look.weigh().reshape(-1) for look in record["intra"].looks]
    return torch.stack([pad(row, (0, 6 - len(row))) for row in rows])


@shows("agent-aware")
def agent_aware() -> Tensor:
    """Two agents take turns, word by word: own words are scored by one pair of matrices, those of
    the other by another.
    """
    x = sentence()
    attention = sharper(nn.AgentAwareAttention(8, 1), 2.0)
    with capture(attention) as record:
        attention(x, agents=torch.arange(6) % 2)
    return record[""].weights.reshape(6, 6)


@shows("pair-biased")
def pair_biased() -> Tensor:
    """One row of words; what is known about each pair, here the product of their vectors, is a
    bias.
    """
    x = sentence()
    attention = sharper(nn.PairBiasedAttention(8, 2, pair_dim=8), 2.0)
    with capture(attention) as record:
        attention(x.unsqueeze(0), x.unsqueeze(0) * x.unsqueeze(1))
    return record[""].weights.reshape(2, 6, 6)


@shows("triangle")
def triangle() -> Tensor:
    """Edges that start at *cat* look at each other: the edge to the word on the left at the edge to
    the word above.
    """
    x = sentence()
    attention = sharper(nn.TriangleAttention(8, 2, "starting"), 2.0)
    with capture(attention) as record:
        attention(x.unsqueeze(0) * x.unsqueeze(1))
    return record[""].weights[2]


@shows("RWKV time mixing")
def time_mixing() -> Tensor:
    """Every channel is a head whose weights fade with time, at its own speed; four of eight."""
    x = sentence()
    mixing = sharper(nn.TimeMixing(8), 2.0)
    with capture(mixing) as record:
        mixing(x)
    return record[""].weights.reshape(-1, 6, 6)[::2]
