"""What the suite checks of every call is found, and named."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import jaxtyping
import pytest
import torch
from beartype import beartype
from beartype.roar import BeartypeCallHintParamViolation, BeartypeCallHintReturnViolation
from jaxtyping import Float
from torch import Tensor

from regard.functional.scores import Dot
from shape_checks import jaxtyped

if TYPE_CHECKING:
    from regard.lens import Look

checked = jaxtyped(typechecker=beartype)


@checked
def product(left: Float[Tensor, "Q D"], right: Float[Tensor, "D K"]) -> Float[Tensor, "Q K"]:
    return left @ right if left.shape[-1] == 3 else left


@checked
def larger(sizes: list[int], by: int = 1) -> int | None:
    return sizes[0] + by if sizes else "none"


def test_a_right_call_passes_and_each_call_has_letters_of_its_own():
    for rows in (2, 5):
        assert product(torch.ones(rows, 3), torch.ones(3, 7)).shape == (rows, 7)
    assert larger([2], by=3) == 5


def test_a_letter_of_two_sizes_is_found_and_all_sizes_are_told():
    with pytest.raises(BeartypeCallHintParamViolation, match="right") as raised:
        product(torch.ones(2, 3), torch.ones(5, 7))
    assert "D=3" in raised.value.__notes__[0]


def test_a_result_that_does_not_fit_the_arguments_is_found():
    with pytest.raises(BeartypeCallHintReturnViolation, match=r"\bK\b|Q K"):
        product(torch.ones(2, 5), torch.ones(5, 7))


def test_a_plain_type_is_found_in_arguments_and_result():
    with pytest.raises(BeartypeCallHintParamViolation, match="sizes"):
        larger(["two"])
    with pytest.raises(BeartypeCallHintReturnViolation, match="none"):
        larger([])


def test_checks_can_be_left_out(without_shape_checks):
    assert larger([]) == "none"


def test_a_name_that_is_never_imported_is_left_to_the_checker_of_types():
    @checked
    def count(looks: "Sequence[Look]", more: list["Look"], kind: Literal["a"] = "a") -> int:
        return len(looks) + len(more)

    assert count([1], [2]) == 2


def test_the_package_is_checked():
    with pytest.raises(BeartypeCallHintParamViolation, match="query"):
        Dot()(1, torch.ones(2, 3))
    assert jaxtyping.jaxtyped is jaxtyped
