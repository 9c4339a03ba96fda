import subprocess
from dataclasses import replace

from benchmarks.machine import command_line, commit, cpu_name, here, versions


def test_the_command_can_be_typed_again_and_names_no_folder():
    words = ["/somewhere/bin/regard", "bench", "kernels", "--out", "my results"]
    assert command_line(words) == "regard bench kernels --out 'my results'"
    module = ["/somewhere/benchmarks/__main__.py", "kernels"]
    assert command_line(module) == "python -m benchmarks kernels"


def test_the_processor_is_read_from_the_first_model_name(tmp_path):
    info = tmp_path / "cpuinfo"
    info.write_text("processor\t: 0\nmodel name\t: Abacus 7 @ 2 Hz\nmodel name\t: Other\n")
    assert cpu_name(info) == "Abacus 7 @ 2 Hz"


def test_a_processor_without_a_file_still_has_a_name(tmp_path):
    assert cpu_name(tmp_path / "none")


def test_a_package_that_is_not_there_is_said_to_be_not_installed():
    found = versions(["torch", "no-such-package-anywhere"])
    assert found["torch"][0].isdigit()
    assert found["no-such-package-anywhere"] == "not installed"


def test_a_load_of_more_than_a_half_warns(machine):
    assert replace(machine, load=(0.5, 9.0, 9.0)).warning is None
    assert replace(machine, load=(0.51, 0.0, 0.0)).warning.startswith(
        "The load average was 0.51 at the start, above 0.5"
    )


def test_this_machine_states_all_a_reader_needs():
    machine = here(threads=3, command="regard bench kernels")
    assert machine.threads == 3
    assert machine.command == "regard bench kernels"
    assert machine.cpu and machine.python and machine.date.startswith("20")
    assert machine.cores >= 1
    assert len(machine.load) == 3
    assert {"regard", "torch", "numba", "keras", "entmax"} <= set(machine.versions)


def test_the_commit_is_that_of_the_checkout_and_marked_once_it_is_changed(tmp_path):
    def git(*words):
        who = ("-c", "user.name=a", "-c", "user.email=a@b.c")
        return subprocess.run(
            ["git", *who, *words], cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout

    file = tmp_path / "source.py"
    assert commit(tmp_path) is None
    file.write_text("1")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "first")
    head = git("rev-parse", "HEAD")
    found = commit(tmp_path)
    assert found and head.startswith(found)
    file.write_text("2")
    assert commit(tmp_path) == f"{found}+"
