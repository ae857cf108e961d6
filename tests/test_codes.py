"""Seeds and look-up ids of graded work: stable, unlike each other, and readable aloud."""

from hypothesis import given
from hypothesis import strategies as st

from generator.codes import derive, lookup_id, normal_id, seal
from generator.variant import OpenCode

SECRET = bytes(range(32))


def test_each_purpose_and_label_has_its_own_value():
    values = [
        seal(SECRET, "quiz", "a", "1", 0),
        seal(SECRET, "quiz", "a", "1", 1),
        seal(SECRET, "quiz", "a1", "", 0),
        seal(SECRET, "quiz", "a", "10", ""),
        seal(bytes(32), "quiz", "a", "1", 0),
        derive(SECRET, "quiz", "a", "1", 0).hex(),
    ]
    assert len(set(values)) == len(values)
    assert all(len(value) == 64 for value in values)


def test_golden_look_up_id():
    assert lookup_id(SECRET, "lesson-12", "pipeline", "1") == lookup_id(SECRET, "lesson-12", "pipeline", "1")
    assert lookup_id(SECRET, "lesson-12", "pipeline", "1") != lookup_id(SECRET, "lesson-12", "pipeline", "2")


@given(st.text(max_size=20), st.text(max_size=20))
def test_a_code_copied_by_hand_is_still_the_code(a, b):
    code = lookup_id(SECRET, a, b)
    assert normal_id(code) == code
    assert normal_id(code.lower().replace("-", " ")) == code
    assert normal_id(code.replace("0", "O").replace("1", "l")) == code


SEEDS = st.from_regex(r"[A-Za-z0-9_/.:-]{1,30}", fullmatch=True)
PARTS = st.lists(st.sampled_from(["enc", "sel", "flat_labels", "x"]), unique=True)


@given(st.sampled_from(["SH-TRYIT", "LS-MEAN"]), st.integers(1, 9), st.integers(1, 99), SEEDS, PARTS)
def test_open_codes_name_family_level_version_seed_and_chosen_parts(family, level, version, seed, parts):
    code = OpenCode(family, level, version, seed, tuple(parts))
    assert OpenCode.parse(code.text()) == code
    assert OpenCode.parse(f" {code.text()}\n") == code


def test_open_codes_are_read_in_any_case():
    assert OpenCode.parse("sh-tryit.l1:Enc+sel.V1.aB") == ("SH-TRYIT", 1, 1, "aB", ("enc", "sel"))


def test_other_texts_are_no_open_code():
    for text in (
        "",
        "7C1E-9RTA-H3PZ-K7QD",
        "SH-TRYIT",
        "SH-TRYIT.L.v1.2",
        "SH-TRYIT.L1.1.2",
        "a.b.c.d",
        "A.L1:.v1.2",
        "A.L1:1x.v1.2",
    ):
        assert OpenCode.parse(text) is None


def test_a_code_that_names_a_part_twice_is_none():
    for parts in ("sel+sel", "~sel+sel", "enc+~sel+~sel"):
        assert OpenCode.parse(f"SH-TRYIT.L2:{parts}.v1.12") is None
