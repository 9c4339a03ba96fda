"""Ours and Hugging Face's ``generate`` with the same weights, in turns.

Run as ``python -m benchmarks.language.generation``; sizes of ``gpt-small``, as a GPT-2. First it is
seen that both write the same, greedily, as long as no two tokens are equally likely but for
rounding.
"""

import json
import time
from collections.abc import Callable
from typing import Any

import torch

from regard.decoding import ContinuedPrompts, Greedy, Limits, Sample, decode
from regard.models import GPTConfig, build
from regard.models.language import GPT

from .race import kept

VOCAB, CONTEXT, WIDTH, LAYERS, HEADS, TOKENS, TURNS = 4096, 256, 256, 6, 8, 200, 5


def hugging_face() -> Any:
    """A random GPT-2."""
    from transformers import GPT2Config, GPT2LMHeadModel

    make: Any = GPT2LMHeadModel
    return make(
        GPT2Config(
            vocab_size=VOCAB,
            n_positions=CONTEXT,
            n_embd=WIDTH,
            n_layer=LAYERS,
            n_head=HEADS,
            bos_token_id=None,
            eos_token_id=None,
        )
    ).eval()


@torch.no_grad()
def ours_like(theirs: Any) -> GPT:
    """The same weights in a model of ours."""
    model = build(
        GPTConfig(
            vocab=VOCAB,
            context=CONTEXT,
            model_dim=WIDTH,
            num_layers=LAYERS,
            num_heads=HEADS,
            hidden_dim=4 * WIDTH,
            activation="gelu_tanh",
        )
    ).eval()
    assert isinstance(model, GPT)
    body = theirs.transformer
    model.embedding.weight.copy_(body.wte.weight)
    model.get_parameter("position.table").copy_(body.wpe.weight)
    model.output.proj.bias.zero_()
    for layer, block in zip(model.layers, body.h, strict=True):
        for name, other in (
            ("attention.in_proj", block.attn.c_attn),
            ("attention.output_proj", block.attn.c_proj),
            ("feed_forward.input_proj", block.mlp.c_fc),
            ("feed_forward.output_proj", block.mlp.c_proj),
        ):
            layer.get_parameter(f"{name}.weight").copy_(other.weight.T)
            layer.get_parameter(f"{name}.bias").copy_(other.bias)
    return model


def alike(theirs: Any, ours: Any) -> float:
    """The share of texts that both have written alike."""
    pairs = zip(theirs[:, 8:].tolist(), ours, strict=True)
    return sum(one == list(other.tokens) for one, (other, *_) in pairs) / len(ours)


def seconds(run: Callable[[], object]) -> float:
    """Of one run."""
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def main() -> None:
    """Seconds of the best turn, and ratios, as JSON."""
    torch.manual_seed(0)
    theirs = hugging_face()
    ours = ours_like(theirs)
    found = []
    for rows in (1, 64):
        prompts = torch.randint(4, VOCAB, (rows, 8))
        for drawn in (False, True):
            more = {"do_sample": True, "top_k": 40, "temperature": 0.8} if drawn else {}

            def by_them(prompts: torch.Tensor = prompts, more: dict[str, Any] = more) -> object:
                with torch.inference_mode():
                    return theirs.generate(
                        prompts,
                        attention_mask=torch.ones_like(prompts),
                        max_new_tokens=TOKENS,
                        pad_token_id=0,
                        **(more or {"do_sample": False}),
                    )

            def by_us(prompts: torch.Tensor = prompts, drawn: bool = drawn) -> object:
                return decode(
                    ours,
                    prompts.tolist(),
                    strategy=Sample(temperature=0.8, top_k=40) if drawn else Greedy(),
                    limits=Limits(max_length=TOKENS, ratio=0, offset=TOKENS, context=CONTEXT),
                    bos=0,
                    pad=0,
                    eos=(),
                    prompts=ContinuedPrompts(),
                )

            if not drawn:
                print(json.dumps({"rows": rows, "alike": alike(by_them(), by_us())}), flush=True)
            turns = [(seconds(by_them), seconds(by_us)) for _ in range(TURNS)][1:]
            them, us = (min(column) for column in zip(*turns, strict=True))
            found.append({"rows": rows, "sampling": drawn, "HF": them, "regard": us})
            print(json.dumps({**found[-1], "ratio": them / us}), flush=True)
    kept(
        "generation-speed", {"command": "python -m benchmarks.language.generation", "times": found}
    )


if __name__ == "__main__":
    main()
