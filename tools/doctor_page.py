"""Writes docs/doctor.md: a section for every cause, of its own texts and of a planted case.

Run as ``python tools/doctor_page.py``; the tests compare the page with what this makes of it.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "doctor.md"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

HEAD = """# How would you debug a Transformer whose attention is uniform?

Ask what is measured, not what it looks like. Uniform maps have many causes: a model that was not
trained yet, scores that are scaled twice, keys that are all the same, a query that cancels, a
gradient that never arrives; some heads are uniform and should be. `regard doctor` measures the
sign of each and tells the cause, its evidence, and one sentence what to do.

```
regard doctor run/                 # a run, with its log
regard doctor en-fr-transformer    # a trained model
```

```
from regard.lens.doctor import doctor

print(doctor(model, batch))  # any model
print(doctor(weights, mask=mask, lengths=lengths, causal=True))  # weights of your own code
```

Hard facts come first, then structure, then training, then what looks odd and is harmless. One
cause per symptom: what an earlier cause explains is not looked for again. *broken* is certainly
wrong, *suspicious* perhaps, *normal* not at all. While a model learns,
`regard.training.vitals.Vitals` examines one batch every hundred updates, for at most a hundredth
of the time, writes `vitals.jsonl`, and says so when something is wrong.

**Thresholds.** Each stands at the head of its cause's file in `regard/lens/doctor/causes`. They
began as round numbers of the literature; the tests plant every cause below in three strengths and
five seeds and ask for exactly that cause, and ask that the models of regard-zoo are not called
*broken*. They are no laws: a model unlike all of these may cross one in good health,
which is why the evidence stands beside every finding.
"""


def page() -> str:
    """The whole page."""
    from lens.doctor.planted import CASES
    from regard.lens.doctor import CAUSES

    parts = [HEAD]
    for cause in CAUSES:
        found = CASES[cause.name](0, 0, False)
        own = next(one for one in found if one.cause == cause.name)
        links = " ".join(f"<{link}>" for link in cause.links)
        lines = [
            f"## {cause.name[0].upper()}{cause.name[1:]}",
            f"*{own.severity}.* {cause.story}",
            f"**Its sign:** {cause.sign}.",
            f"**What to do:** {cause.fix}",
            f"On a planted case the doctor says:\n\n```\n{own}\n```",
        ]
        parts.append("\n\n".join([*lines, *([f"See {links}"] if links else [])]) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
