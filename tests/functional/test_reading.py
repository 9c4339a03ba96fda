"""How many files one must read to follow a call."""

CHILD = """
import sys, threading
from pathlib import Path
import torch, regard
from regard import attend, masks, scores

def call(length):
    query, key, value = (torch.randn(2, length, 7, requires_grad=True) for _ in range(3))
    mask = masks.causal() & masks.padding([length, length // 2])
    score = scores.Additive(torch.randn(7, requires_grad=True))
    attend(query, key, value, score=score, mask=mask, normalise="sparsemax").sum().backward()

call(300)  # compiles, imports
root, files = str(Path(regard.__file__).parent), set()

def enter(frame, event, argument):
    if event == "call" and frame.f_code.co_filename.startswith(root):
        files.add(frame.f_code.co_filename.removeprefix(root))

threading.setprofile(enter)
sys.setprofile(enter)
call(300)
sys.setprofile(None)
print(*sorted(files))
"""


def test_one_attention_forward_and_backward_runs_through_at_most_25_files(forks):
    files = forks.run(CHILD).output.split()
    assert "/functional/attend.py" in files and "/functional/engine/stream.py" in files
    assert len(files) <= 25, files
