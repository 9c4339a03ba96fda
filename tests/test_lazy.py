"""Names of packages that are loaded when first used."""

import pytest

CASES = [("regard.training", "launch"), ("regard.tasks.translation", "recipe")]


@pytest.mark.parametrize(("package", "name"), CASES, ids=lambda word: word.rpartition(".")[2])
def test_a_name_is_the_function_though_its_module_was_imported_first(forks, package, name):
    code = f"import {package}.{name}; from {package} import {name}; print(type({name}).__name__)"
    assert forks.run(code).output == "function\n"
