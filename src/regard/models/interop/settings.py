"""A ``config.json`` of ``transformers``, read to the last field: nothing is passed over."""

from collections.abc import Mapping
from typing import Any

from regard.errors import ChoiceError

ABOUT = frozenset(
    (
        *("_attn_implementation_autoset", "_commit_hash", "_name_or_path", "_num_labels"),
        *("adapters", "architectures", "auto_map", "bos_token_id", "chunk_size_feed_forward"),
        *("cross_attention_hidden_size", "dtype", "eos_token_id", "finetuning_task"),
        *("gradient_checkpointing", "id2label", "init_std", "initializer_factor"),
        *("initializer_range", "is_encoder_decoder", "keys_to_ignore_at_inference", "label2id"),
        *("language", "max_length", "min_length", "model_type", "name_or_path"),
        *("normalize_before", "num_beams", "output_attentions", "output_hidden_states"),
        *("output_past", "pad_token_id", "prefix", "problem_type", "return_dict"),
        *("sep_token_id", "task_specific_params", "tokenizer_class", "torch_dtype"),
        *("torchscript", "transformers_version", "use_bfloat16", "use_cache"),
    )
)
"""Fields about the file, the start of a training, or generation: the model is the same with any."""


class Settings:
    """The fields of a config, each taken by whoever understands it.

    Args:
        fields: what the file holds.
    """

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields, self._taken = fields, set(ABOUT)

    def take(self, name: str, default: Any = None) -> Any:
        """A field, or what it is where the file does not say."""
        self._taken.add(name)
        found = self._fields.get(name, default)
        return default if found is None else found

    def need(self, name: str) -> Any:
        """A field.

        Raises:
            ChoiceError: it is not there.
        """
        found = self.take(name)
        if found is None:
            raise ChoiceError(f"config.json needs {name!r}, and does not say it")
        return found

    def expect(self, name: str, *values: Any) -> None:
        """A field that has one of these values where it is said at all.

        Raises:
            ChoiceError: another one.
        """
        found = self.take(name, values[0])
        if found not in values:
            wanted = " or ".join(repr(value) for value in values)
            raise ChoiceError(
                f"config.json says {name} is {found!r}, which this model cannot be; needed {wanted}"
            )

    def choose(self, name: str, known: Mapping[Any, str], default: Any) -> Any:
        """What a field's value is called here.

        Raises:
            ChoiceError: a value that nothing here is like.
        """
        found = self.take(name, default)
        if found not in known:
            raise ChoiceError(
                f"config.json says {name} is {found!r}; known are {', '.join(map(str, known))}"
            )
        return known[found]

    def ignore(self, *names: str) -> None:
        """Fields that make no difference to the model."""
        self._taken.update(names)

    def done(self) -> None:
        """Find out whether everything was understood.

        Raises:
            ChoiceError: a field that nobody took.
        """
        left = sorted(
            name for name, value in self._fields.items() if name not in self._taken and value
        )
        if left:
            raise ChoiceError(
                f"config.json says {', '.join(left)}, which is not understood; a model may compute "
                "something else with it, so take it out only if you know it does not"
            )


ACTIVATIONS = {
    "relu": "relu",
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "silu": "silu",
    "swish": "silu",
    "relu2": "relu_squared",
}
"""Theirs → ours."""
GATED: dict[str, Any] = {
    "silu": "swiglu",
    "gelu": "geglu",
    "gelu_tanh": "geglu_tanh",
    "relu": "reglu",
}
"""An activation → the same of a gate."""


def named(activation: str, among: Mapping[str, str]) -> str:
    """What ours is called there.

    Raises:
        ChoiceError: they have none.
    """
    found = next((theirs for theirs, ours in among.items() if ours == activation), None)
    if found is None:
        raise ChoiceError(f"the family knows no activation like {activation!r}")
    return found
