"""The page of the doctor is made of its causes' own texts."""

from regard.lens.doctor import CAUSES


def test_the_page_has_every_cause_with_its_sign_and_what_to_do(root):
    page = (root / "docs" / "doctor.md").read_text(encoding="utf-8")
    for cause in CAUSES:
        assert f"## {cause.name[0].upper()}{cause.name[1:]}\n" in page
        assert cause.sign in page
        assert cause.fix in page
        assert cause.story in page
