"""How predictors show themselves in a session and in a notebook: model, size, codec, device."""

from abc import abstractmethod
from typing import Any

from regard.decoding.protocol import device_of
from regard.notebook import table


class Described:
    """Which model it is, how large, with which codec, and where it computes."""

    model: Any

    @abstractmethod
    def about_codec(self) -> dict[str, str]:
        """What it reads and writes, such as ``{"tokens": "8,000"}``."""

    @property
    def model_name(self) -> str:
        """What it is a model of."""
        return type(self.model).__name__

    def __repr__(self) -> str:
        told = ", ".join(f"{what} {said}" for what, said in self._facts())
        return f"{type(self).__name__}({told})"

    def _repr_html_(self) -> str:
        return table((type(self).__name__, ""), self._facts())

    def _facts(self) -> list[tuple[str, str]]:
        count = sum(one.numel() for one in self.model.parameters())
        return [
            ("model", self.model_name),
            ("parameters", f"{count:,}"),
            *self.about_codec().items(),
            ("device", str(device_of(self.model))),
        ]
