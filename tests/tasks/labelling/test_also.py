"""Labels of other kinds, learned beside those that are told."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

import regard
from regard.data.annotated import Example
from regard.data.batches import BatchConfig, Batches
from regard.models import build
from regard.storage.run_folder import read_best
from regard.tasks.labelling.corpus import encode
from regard.tasks.labelling.objective import LabelObjective
from regard.tasks.tagging import TaggedFiles, TaggingTask
from regard.training import launch
from tasks.labelling.small import TAGGER, files, settings

TEXT = "The\tDET\tD\tsmall\ncat\tNOUN\tN\tsmall\nsat\tVERB\tV\tlarge\n\nI\tPRON\tP\tsmall\n"


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "train.tsv"
    path.write_text(TEXT)
    return TaggingTask(data=TaggedFiles(train=path, valid=path, also=(3, 4)), also_weight=0.25)


def test_other_losses_are_added_times_their_weight(task):
    codec = task.learn()
    assert task.data.also_known == (("D", "N", "P", "V"), ("large", "small"))
    model = build("bilstm-tagger", **codec.sizes()).eval()
    objective = task.objective(model)
    pools = task.pools(codec, longest=None)
    batch = next(iter(Batches(pools, BatchConfig(max_tokens=64))))
    loss = objective(batch)
    features = model.features(*batch.inputs)
    asked = zip((model.output, *objective.others), (1.0, 0.25, 0.25), strict=True)
    kinds = (batch.targets, *batch.also)
    expected = sum(
        weight * cross_entropy(output(features)[kind >= 0], kind[kind >= 0], reduction="sum")
        for (output, weight), kind in zip(asked, kinds, strict=True)
    )
    assert_close(loss.total, expected)
    assert_close(loss.parts["nll"], cross_entropy(*_known(model, batch), reduction="sum"))


def _known(model, batch):
    kept = batch.targets >= 0
    return model(*batch.inputs)[kept].detach(), batch.targets[kept]


def test_a_batch_of_nothing_moves_no_output_layer(task):
    codec = task.learn()
    objective = task.objective(build("bilstm-tagger", **codec.sizes()))
    objective(objective.empty_batch()).total.backward()
    assert all(one.grad is not None and not one.grad.any() for one in objective.parameters())


def test_output_layers_of_other_kinds_stay_behind(tmp_path):
    plain = files(tmp_path, "tagging")
    rows = plain.data.train[0]
    told = [
        f"{line}\t{line[0].isupper()}" if line else ""
        for line in Path(rows).read_text().split("\n")
    ]
    path = tmp_path / "more.tsv"
    path.write_text("\n".join(told))
    task = TaggingTask(data=TaggedFiles(train=path, valid=plain.data.valid, also=(3,)))
    launch(settings(task, 2), "bilstm-tagger", tmp_path / "run", changes=TAGGER)
    found = regard.load(tmp_path / "run")
    assert not [name for name, _ in found.model.named_parameters() if "others" in name]
    assert read_best(tmp_path / "run", lambda place: place).exists()


def test_words_of_one_length_are_numbered_alike_in_every_process(tmp_path):
    (tmp_path / "train.tsv").write_text(TEXT)
    program = (
        "import sys; from regard.tasks.tagging import *\n"
        "task = TaggingTask(data=TaggedFiles(train=sys.argv[1], valid=sys.argv[1]))\n"
        "print(task.pools(task.learn(), longest=None).identity)"
    )
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    there = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "train.tsv"],
        env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": other},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    path = str(tmp_path / "train.tsv")
    task = TaggingTask(data=TaggedFiles(train=path, valid=path))
    assert there == f"{task.pools(task.learn(), longest=None).identity}\n"


def test_texts_without_other_labels_need_none():
    example = Example("a b", ("X", "Y"), ("a", "b"))
    from regard.data.annotated import LabelCodec
    from regard.data.vocabulary.plain_words import PlainWords

    codec = LabelCodec(PlainWords(["a", "b"]), ("X", "Y"))
    corpus = encode([example], codec, per_word=True)
    assert corpus.also == ()
    assert torch.equal(
        torch.from_numpy(corpus.labels.values), torch.tensor([0, 1], dtype=torch.int32)
    )
    model = build("bilstm-tagger", **codec.sizes())
    assert not LabelObjective(model, smoothing=0.0, per_word=True).others
