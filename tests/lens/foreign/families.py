"""Tiny random models of ``transformers``, made once."""

from functools import cache

import pytest
import torch

transformers = pytest.importorskip("transformers")

SIZES = {
    "vocab_size": 41,
    "hidden_size": 24,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 20,
    "max_position_embeddings": 64,
}
SPECIAL = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
TEXT = {**SIZES, **SPECIAL}
GROUPED = {**TEXT, "num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 4}
SEQ2SEQ = {
    **SPECIAL,
    "vocab_size": 41,
    "d_model": 24,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 3,
    "decoder_attention_heads": 3,
    "encoder_ffn_dim": 20,
    "decoder_ffn_dim": 20,
    "max_position_embeddings": 64,
    "decoder_start_token_id": 1,
}
ALBERT = {**TEXT, "embedding_size": 5}
GPT2 = {**SPECIAL, "vocab_size": 41, "n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 64}
T5 = {
    **SPECIAL,
    "vocab_size": 41,
    "d_model": 24,
    "d_kv": 7,
    "num_heads": 3,
    "num_layers": 2,
    "d_ff": 20,
    "decoder_start_token_id": 0,
}
WHISPER = {**SEQ2SEQ, "num_mel_bins": 5, "max_source_positions": 11, "max_target_positions": 64}
WHISPER.pop("max_position_embeddings")
VIT = {**SIZES, "image_size": 12, "patch_size": 4}
VIT.pop("vocab_size"), VIT.pop("max_position_embeddings")
DISTILBERT = {
    "vocab_size": 41,
    "dim": 24,
    "n_layers": 2,
    "n_heads": 3,
    "hidden_dim": 20,
    "pad_token_id": 0,
}
GEMMA2 = {**GROUPED, "sliding_window": 3, "attn_logit_softcapping": 0.7}
GEMMA3 = {**GROUPED, "sliding_window": 3}
GPT_OSS = {
    **GROUPED,
    "sliding_window": 3,
    "num_local_experts": 2,
    "num_experts_per_tok": 1,
    "layer_types": ["sliding_attention", "full_attention"],
}

OPT = {**TEXT, "ffn_dim": 20, "word_embed_proj_dim": 24}
PHI = {**GROUPED, "partial_rotary_factor": 1.0}

FAMILIES = {
    "bert": ("BertModel", "BertConfig", TEXT),
    "distilbert": ("DistilBertModel", "DistilBertConfig", DISTILBERT),
    "albert": ("AlbertModel", "AlbertConfig", ALBERT),
    "roberta": ("RobertaModel", "RobertaConfig", {**TEXT, "pad_token_id": 0}),
    "vit": ("ViTModel", "ViTConfig", VIT),
    "gpt2": ("GPT2LMHeadModel", "GPT2Config", GPT2),
    "llama": ("LlamaForCausalLM", "LlamaConfig", GROUPED),
    "mistral": ("MistralForCausalLM", "MistralConfig", {**GROUPED, "sliding_window": 3}),
    "opt": ("OPTForCausalLM", "OPTConfig", OPT),
    "phi": ("PhiForCausalLM", "PhiConfig", PHI),
    "qwen2": ("Qwen2ForCausalLM", "Qwen2Config", GROUPED),
    "qwen3": ("Qwen3ForCausalLM", "Qwen3Config", GROUPED),
    "gemma2": ("Gemma2ForCausalLM", "Gemma2Config", GEMMA2),
    "gemma3": ("Gemma3ForCausalLM", "Gemma3TextConfig", GEMMA3),
    "gpt_oss": ("GptOssForCausalLM", "GptOssConfig", GPT_OSS),
    "t5": ("T5ForConditionalGeneration", "T5Config", T5),
    "marian": ("MarianMTModel", "MarianConfig", {**SEQ2SEQ, "pad_token_id": 0}),
    "bart": ("BartForConditionalGeneration", "BartConfig", SEQ2SEQ),
    "whisper": ("WhisperForConditionalGeneration", "WhisperConfig", WHISPER),
}
SEQUENCE_PAIRS = ("t5", "marian", "bart", "whisper")
CAUSAL = ("gpt2", "opt", "phi", "llama", "mistral", "qwen2", "qwen3", "gemma2", "gemma3", "gpt_oss")
EAGER_ONLY = ("gemma2", "gpt_oss")
"""Families with a softcap or sinks, which torch's kernel does not know."""


@cache
def made(family, implementation):
    """A random model of a family, in evaluation; numbers large enough that weights differ."""
    model_class, config_class, sizes = FAMILIES[family]
    config = getattr(transformers, config_class)(**sizes)
    config._attn_implementation = implementation
    torch.manual_seed(0)
    model = getattr(transformers, model_class)(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1 and family != "t5":  # whose own are large
                parameter.mul_(8.0)
            elif parameter.dim() == 1 and family == "gpt_oss":
                parameter.add_(torch.randn_like(parameter) * 0.3)
    return model


def best(family):
    """The implementation that a model of this family would be loaded with here."""
    return "eager" if family in EAGER_ONLY else "sdpa"


def ids(rows=2, length=9, seed=1):
    """Random tokens, none of them special."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(5, 41, (rows, length), generator=generator)


def inputs(family, *, padded=True):
    """What a model of this family is given: a batch of two, the second one shorter."""
    if family == "vit":
        generator = torch.Generator().manual_seed(1)
        return {"pixel_values": torch.randn(2, 3, 12, 12, generator=generator)}
    mask = torch.ones(2, 9, dtype=torch.long)
    if padded and family in CAUSAL:
        mask[1, :2] = 0  # generation pads on the left
    elif padded:
        mask[1, 6:] = 0
    if family == "whisper":
        generator = torch.Generator().manual_seed(1)
        sound = torch.randn(2, 5, 22, generator=generator)
        return {"input_features": sound, "decoder_input_ids": ids(length=7, seed=2)}
    given = {"input_ids": ids(), "attention_mask": mask}
    if family in SEQUENCE_PAIRS:
        given["decoder_input_ids"] = ids(length=7, seed=2)
    return given
