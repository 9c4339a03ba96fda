"""What a checkpoint asks for is held against what it has, before memory is taken for it."""

import contextlib
import json
import shutil
import time
from itertools import islice

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from regard.config import Config
from regard.errors import DamagedError, RegardError
from regard.models import config_from, preset_config, presets
from regard.models.build import preset_sizes
from regard.models.outline import SkipInitialisation
from regard.models.vision.cnn import CNNConfig
from regard.models.widths import fed_widths
from regard.storage import checkpoint, manifest, run_folder
from regard.storage.quantised import stored
from regard.storage.run_folder import places
from regard.storage.skeleton import require_fit, skeleton
from regard.storage.stored_model import read_model
from regard.storage.tensors import Outline, to_bytes
from regard.tasks.translation.predictor import load_translator
from regard.training import RunConfig
from regard.training.launch import load_origin
from regard.training.resumption import load_run
from training import small

VOCABULARY = 11


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Runs of six steps, saved after three and six; the last weights are used as they are."""
    home = tmp_path_factory.mktemp("runs")
    data = small.corpus(home)
    for name in ("bahdanau", "transformer"):
        small.start(home / name, data, name, budget=small.Budget(steps=6), average=0.5)
    return home


@pytest.fixture
def run(runs, tmp_path):
    return shutil.copytree(runs / "bahdanau", tmp_path / "bahdanau")


def last(run):
    return places(run, "step")[-1].path


def seal(folder):
    """As if it had been written so."""
    (folder / "manifest.json").unlink()
    manifest.seal(folder)


def rewrite(folder, name, change):
    """Change a file of JSON, and the manifest with it."""
    content = json.loads((folder / name).read_text())
    change(content)
    (folder / name).write_text(json.dumps(content))
    seal(folder)


def replace_weights(folder, change):
    weights = load_file(folder / "model.safetensors")
    change(weights)
    (folder / "model.safetensors").write_bytes(to_bytes(weights))
    seal(folder)


@pytest.mark.parametrize("name", list(presets))
def test_the_skeleton_of_every_preset_is_its_model_without_memory(name, tmp_path):
    config = preset_config(
        name, **dict.fromkeys(preset_sizes(name).keys() - {"mean", "std"}, VOCABULARY)
    )
    found = skeleton(config, tensors=2000, source=tmp_path)
    weights = found.state_dict()
    assert all(weight.is_meta for weight in weights.values())
    outlines = {key: Outline(tuple(one.shape), one.dtype, key) for key, one in weights.items()}
    require_fit(weights, outlines, source=tmp_path)


@pytest.mark.parametrize("precision", ["int8", "float16", "float32"])
def test_weights_packed_in_any_precision_fit(precision, tmp_path):
    weights = {"w": torch.ones(3, 5), "b": torch.ones(3), "n": torch.tensor(7)}
    packed = stored(weights, precision).items()
    outlines = {name: Outline(tuple(one.shape), one.dtype, name) for name, one in packed}
    require_fit(weights, outlines, source=tmp_path)


def sizes_of(config, *path):
    """Where whole numbers stand in a config, with the part of it that they belong to; of several
    the first."""
    for name in type(config).model_fields:
        value, here = getattr(config, name), (*path, name)
        if isinstance(value, tuple) and value:
            value, here = value[0], (*here, 0)
        if isinstance(value, Config):
            yield from sizes_of(value, *here)
        elif type(value) is int:
            yield (type(config), name), here


def every_size():
    """Each size of each part of any model once, in the config of a preset that has it; and those
    of every kind of position."""
    known = set()
    for name in presets:
        config = preset_config(
            name, **dict.fromkeys(preset_sizes(name).keys() - {"mean", "std"}, VOCABULARY)
        )
        for part, path in sizes_of(config):
            if part not in known:
                known.add(part)
                yield name, config.model_dump(), path
    config = preset_config("transformer-tiny", source_vocab=VOCABULARY, target_vocab=VOCABULARY)
    for position, size in (
        ("t5", "buckets"),
        ("t5", "farthest"),
        ("relative", "reach"),
        ("shaw", "reach"),
        ("learned", "max_length"),
    ):
        yield position, {**config.model_dump(), "position": position}, (size,)


def test_no_size_of_any_model_takes_time_before_it_is_refused(tmp_path, without_shape_checks):
    for name, config, path in every_size():
        changed = json.loads(json.dumps(config))
        inner = changed
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = 10**8
        begun = time.process_time()
        with contextlib.suppress(RegardError):
            skeleton(config_from(changed), tensors=50, source=tmp_path)
        assert time.process_time() - begun < 5, f"{name}: {path} takes too long"


def test_there_is_no_list_of_what_a_config_asks_for():
    assert [*islice(fed_widths(3, 5, 10**12), 3)] == [3, 5, 5]
    assert [*fed_widths(3, 5, 1)] == [3]
    config = CNNConfig(widths=(2,), blocks=(10**12,), strides=(1,))
    assert next(iter(config.attentions)) is None


def by(size):
    return lambda content: content["model"].update(size)


@pytest.mark.parametrize(
    ("model", "change"),
    [
        ("bahdanau", {"hidden_dim": 9}),
        ("bahdanau", {"hidden_dim": 10**6}),
        ("bahdanau", {"hidden_dim": 10**12}),
        ("bahdanau", {"hidden_dim": 10**30}),
        ("bahdanau", {"source_vocab": 10**15}),
        ("transformer", {"encoder_layers": 2}),
        ("transformer", {"encoder_layers": 10**9}),
        ("transformer", {"decoder_layers": 10**9, "model_dim": 10**9, "num_heads": 1}),
    ],
)
def test_a_config_of_another_model_is_one_sentence_whatever_its_size(runs, tmp_path, model, change):
    folder = shutil.copytree(last(runs / model), tmp_path / "packed")
    rewrite(folder, "config.json", by(change))
    for load in (load_translator, load_origin):
        with pytest.raises(DamagedError, match=r"model\.safetensors is damaged: .*its config"):
            load(folder)
    assert torch.is_grad_enabled()
    assert not torch.empty(1).is_meta


def other_shape(weights):
    name = next(iter(weights))
    weights[name] = torch.zeros(1, *weights[name].shape)


def other_kind(weights):
    name = next(iter(weights))
    weights[name] = torch.zeros_like(weights[name], dtype=torch.int64)


def one_more(weights):
    weights["encoder.more"] = torch.zeros(2)


def one_less(weights):
    weights.pop(next(iter(weights)))


@pytest.mark.parametrize("change", [other_shape, other_kind, one_more, one_less])
def test_weights_of_another_model_are_named(runs, tmp_path, change):
    folder = shutil.copytree(last(runs / "bahdanau"), tmp_path / "packed")
    replace_weights(folder, change)
    with pytest.raises(DamagedError, match=r"model\.safetensors is damaged: it(s| has)"):
        load_translator(folder)


def test_one_tensor_cannot_be_many(runs, tmp_path):
    folder = shutil.copytree(last(runs / "bahdanau"), tmp_path / "packed")

    def share(weights):
        for shape in {tuple(weight.shape) for weight in weights.values()}:
            alike = [name for name in weights if tuple(weights[name].shape) == shape]
            weights.update(dict.fromkeys(alike, weights[alike[0]]))

    replace_weights(folder, share)
    with pytest.raises(DamagedError, match="too few numbers"):
        load_translator(folder)


def test_vocabularies_are_those_of_the_model_and_listed(runs, tmp_path):
    folder = shutil.copytree(last(runs / "bahdanau"), tmp_path / "packed")
    before = load_translator(folder).vocabularies
    joint = folder / "codec" / "joint" / "tokeniser.json"
    joint.parent.mkdir()
    joint.write_text('{"kind": "words", "format": 1, "entries": ["smuggled"]}')
    after = load_translator(folder).vocabularies
    assert [side.to_bytes() for side in after] == [side.to_bytes() for side in before]
    seal(folder)
    with pytest.raises(DamagedError, match=r"codec is damaged: its .* and that of its model"):
        load_translator(folder)


def test_settings_of_a_task_that_cannot_be_are_damage(runs, tmp_path):
    folder = shutil.copytree(last(runs / "bahdanau"), tmp_path / "packed")
    rewrite(folder, "config.json", lambda content: content["task"].update(typing="loud"))
    with pytest.raises(DamagedError, match="settings of this model's task are damaged, "):
        read_model(folder).predictor()


def forget(*names):
    def change(content):
        state = content["state"]
        for name in names[:-1]:
            state = state[name]
        del state[names[-1]]

    return change


def wrong_moment(content):
    of_one = content["state"]["optimiser"]["state"]["$dict"]
    of_one[0][1]["exp_avg"] = of_one[0][1]["step"]


@pytest.mark.parametrize(
    "change",
    [
        forget("learning"),
        forget("learning", "baseline.value"),
        forget("optimiser"),
        forget("optimiser", "param_groups"),
        forget("data"),
        forget("progress"),
        forget("progress", "step"),
        wrong_moment,
        lambda content: content.update(step=3),
        lambda content: content.update(state=[]),
    ],
)
def test_a_state_of_no_run_is_passed_over_for_the_checkpoint_before(run, change):
    damaged = last(run)
    rewrite(damaged, "resume.json", change)
    with (
        run_folder.opened(run) as place,
        pytest.warns(UserWarning, match=r"resume\.json is damaged: .*going on from"),
    ):
        assert place.resume(RunConfig, load_run).folder != damaged


def test_a_config_of_another_model_is_passed_over_too(run):
    rewrite(last(run), "config.json", by({"hidden_dim": 10**12}))
    with pytest.warns(UserWarning, match=r"model\.safetensors is damaged: .*going on from"):
        assert small.go_on(run, steps=7) == "steps"


def test_of_a_large_file_only_what_stands_first_is_read(runs, tmp_path, monkeypatch):
    folder = shutil.copytree(last(runs / "bahdanau"), tmp_path / "packed")
    rewrite(folder, "config.json", by({"hidden_dim": 10**6}))
    monkeypatch.setattr(checkpoint.tensors, "from_bytes", lambda *_, **__: pytest.fail("read"))
    monkeypatch.setattr(checkpoint.manifest, "verify", lambda *_: pytest.fail("read"))
    with pytest.raises(DamagedError):
        load_translator(folder)


def test_tensors_that_are_looked_at_are_zeros():
    """A truncated normal draws until all numbers fit, so what memory holds would do for ever."""
    weight = torch.full((3, 5), 7.0)
    with SkipInitialisation():
        assert not weight.normal_().any()
        nn.init.trunc_normal_(weight.fill_(7.0), std=0.02)
    assert not weight.any()
