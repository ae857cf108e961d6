"""Short open codes: they come back, a slip of the pen is caught, and another content is named."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator import short_codes
from generator.codes import DIGITS, lookup_id, normal_id
from generator.drafting import draft
from generator.fingerprint import content_of
from generator.short_codes import BadCode, OtherContent, UnknownFamily, could_be_short, read_short, short_code
from grader.answers import Shape
from grader.letters import B, T
from maskwise.services.looking import SEED
from question_bank.catalogue import families

FAMILIES = list(families().values())
NUMBERS = st.integers(0, 2**60 - 1).map(str)
WORDS = st.from_regex(r"[A-Za-z0-9_/.:-]{1,12}", fullmatch=True)


@st.composite
def codes(draw, seeds=NUMBERS | WORDS):
    """A family, one of its levels, a seed, and parts that may be choices."""
    family = draw(st.sampled_from(FAMILIES))
    level = draw(st.sampled_from(sorted(family.levels)))
    parts = draw(st.lists(st.sampled_from(list(family.by_id)[:16]), unique=True, max_size=3))
    chosen = tuple(draw(st.sampled_from(["", "~"])) + part for part in parts)
    return family, level, draw(seeds), chosen


@given(codes(), st.sampled_from([str.lower, str.upper, str.title]), st.sampled_from(["-", "", " ", " - "]))
def test_a_short_code_says_what_it_was_made_from(made, case, between):
    family, level, seed, chosen = made
    short = short_code(family, level, seed, chosen)
    assert re.fullmatch(r"([0-9A-HJKMNP-TV-Z]{4}-)+[0-9A-HJKMNP-TV-Z]{1,4}", short)
    said = read_short(case(short.replace("-", between)), FAMILIES)
    assert (said.family, said.level, said.seed, said.parts) == (family, level, seed, chosen)
    assert (said.version, said.content) == (family.version, content_of(family))


@given(codes(seeds=st.integers(0, 2**20 - 1).map(str)))
def test_letters_that_look_like_digits_may_be_mixed(made):
    short = short_code(*made)
    assert could_be_short(short)
    for one, other in (("0", "O"), ("0", "o"), ("1", "I"), ("1", "l"), ("1", "L"), ("1", "i")):
        assert read_short(short.replace(one, other), FAMILIES) == read_short(short, FAMILIES)


@given(codes())
def test_every_wrong_digit_and_every_swap_is_caught(made):
    plain = short_code(*made).replace("-", "")
    for at, digit in enumerate(plain):
        for other in DIGITS.replace(digit, ""):
            with pytest.raises(BadCode, match="check symbol"):
                read_short(plain[:at] + other + plain[at + 1 :], FAMILIES)
    for at in range(len(plain) - 1):
        if plain[at] != plain[at + 1]:
            with pytest.raises(BadCode, match="check symbol"):
                read_short(plain[:at] + plain[at + 1] + plain[at] + plain[at + 2 :], FAMILIES)


def test_the_check_symbol_tells_all_pairs_of_places_apart():
    """Two swapped digits are caught wherever they are: no two places weigh the same within the longest code."""
    weights = [short_codes._check([0] * before + [1] + [0] * (30 - before - 1)) for before in range(30)]
    assert len(set(weights)) == 30
    assert 0 not in weights
    assert 1 not in weights  # the symbol's own weight


@given(codes())
def test_no_short_code_is_as_long_as_a_look_up_id(made):
    plain = short_code(*made).replace("-", "")
    assert len(plain) != 16
    assert len(plain) <= 31
    assert not could_be_short(lookup_id(b"x" * 32, plain))


def test_what_has_no_short_form():
    family = families()["SH-TRYIT"]
    for seed in ("a" * 13, str(2**60), "9" * 40, "", "with blank"):
        assert short_code(family, 1, seed) == ""
    assert short_code(family, 8, "1") == ""
    assert short_code(family, 1, "a" * 12)
    assert short_code(family, 1, str(2**60 - 1))


def test_seeds_that_look_alike_are_different():
    family = families()["SH-TRYIT"]
    seeds = ["7", "07", "007", "0", "00", "-0", "A", "AA", "a", "7.", "1e3", "1000"]
    made = {seed: short_code(family, 1, seed) for seed in seeds}
    assert len(set(made.values())) == len(seeds)
    for seed, short in made.items():
        assert read_short(short, FAMILIES).seed == seed


def test_every_sign_of_a_seed_can_be_written():
    allowed = {chr(sign) for sign in range(128) if SEED.fullmatch(chr(sign))}
    assert allowed == set(short_codes._TEXT_SIGNS)


@pytest.mark.parametrize(
    "text", ["", "7C1E-9RTA-H3PZ-K7QD", "SH-TRYIT.L1.v1.2", "SH-TRYIT", "lesson-12.7.1", "hello", "0" * 40, "ÄÖÜ" * 4]
)
def test_other_texts_are_no_short_code(text):
    assert not could_be_short(text)


@given(st.text(alphabet=DIGITS, min_size=10, max_size=31).filter(lambda text: len(text) != 16))
def test_no_digits_make_the_reader_stumble(text):
    try:
        said = read_short(text, FAMILIES)
    except BadCode as problem:
        assert str(problem)  # noqa: PT017 - most digits are no code; what matters is that nothing else is raised
    else:
        assert said.seed


@given(codes(), st.text(alphabet=DIGITS, max_size=12))
def test_sound_codes_with_other_insides_are_read_or_refused(made, tail):
    """The check symbol may fit by chance: what stands before it is then judged by itself."""
    values = short_codes._values(short_code(*made).replace("-", "")[:8] + tail)
    text = short_codes._text([*values, short_codes._check(values)])
    try:
        said = read_short(text, FAMILIES)
    except BadCode as problem:
        assert "check symbol" not in str(problem)  # noqa: PT017 - as above
    else:
        assert {part.removeprefix("~") for part in said.parts} <= set(said.family.by_id)


def test_families_are_told_apart_and_new_ones_change_no_code():
    hashes = {short_codes._family_digits(family.id) for family in FAMILIES}
    assert len(hashes) == len(FAMILIES)
    short = short_code(families()["SH-TRYIT"], 1, "12")
    more = [replace(FAMILIES[0], id=f"XX-NEW{number}") for number in range(200)]
    assert read_short(short, [*more, *FAMILIES]).family is families()["SH-TRYIT"]


@pytest.mark.parametrize(
    ("level", "seed", "chosen", "short"),
    [
        (1, "12", (), "4VPJ-17K3-CE"),
        (2, "743893", (), "8VPJ-17K3-PPEN-J"),
        (1, "week-3", (), "6VPJ-17K3-4H5G-YCE6-M"),
        (3, "7", ("enc", "~sel"), "DVPJ-17K3-2057-F"),
    ],
)
def test_the_form_of_a_code_stays(monkeypatch, level, seed, chosen, short):
    """Golden: what is printed must be read years later."""
    monkeypatch.setattr(short_codes, "content_of", lambda _family: "7K3")
    assert short_code(families()["SH-TRYIT"], level, seed, chosen) == short


def test_a_family_that_is_not_here_is_said():
    short = short_code(families()["SH-TRYIT"], 1, "12")
    with pytest.raises(UnknownFamily, match="not installed"):
        read_short(short, [family for family in FAMILIES if family.id != "SH-TRYIT"])


# --- the content of a family ---

TRYIT = families()["SH-TRYIT"]
CHANGED = {
    "version": lambda: replace(TRYIT, version=2),
    "level's words": lambda: replace(TRYIT, levels={**TRYIT.levels, 1: "other words"}),
    "world": lambda: replace(TRYIT, world="losses"),
    "a key": lambda: other("enc", key=Shape(T, B)),
    "a line": lambda: other("enc", line="encoded.clone()"),
    "a second line": lambda: other("enc", also=("encoded.clone()",)),
    "what holds": lambda: other("enc", holds=("encoded.ndim == 3",)),
    "a rule less": lambda: other("sel", rules=TRYIT.ask("sel").rules[1:]),
    "order of rules": lambda: other("sel", rules=TRYIT.ask("sel").rules[::-1]),
    "a witness": lambda: other("sel", rules=(replace(TRYIT.ask("sel").rules[0], witness="logits[0]"),)),
    "what follows": lambda: other("sel", follows=("enc",)),
    "ranges": lambda: replace(TRYIT, draw=wider),
    "order of draws": lambda: replace(TRYIT, draw=after_a_word),
}


def other(part, **more):
    return replace(TRYIT, asks=tuple(replace(ask, **more) if ask.id == part else ask for ask in TRYIT.asks))


def wider(draw, level):
    asked = TRYIT.draw(draw, level)
    draw.given["V"] += 1
    return asked


def after_a_word(draw, level):
    draw.word()
    return TRYIT.draw(draw, level)


@pytest.mark.parametrize("what", CHANGED)
def test_another_content_is_named_together_with_the_installed_one(what):
    installed = CHANGED[what]()
    short = short_code(TRYIT, 1, "12")
    with pytest.raises(OtherContent) as caught:
        read_short(short, [installed])
    assert str(caught.value) == (
        f"the code was made by SH-TRYIT version 1 (content {content_of(TRYIT)}), "
        f"installed is version {installed.version} (content {content_of(installed)})"
    )


def test_other_words_are_another_content(monkeypatch, tmp_path):
    import shutil

    from generator import fingerprint

    root = tmp_path / "templates"
    shutil.copytree(fingerprint.ROOT, root, ignore=shutil.ignore_patterns("__pycache__"))
    before = content_of(TRYIT)
    monkeypatch.setattr(fingerprint, "ROOT", root)
    assert content_of(replace(TRYIT)) == before
    for name in ("batch_to_loss", "_shapes"):  # its own words, and those that it borrows
        words = root / f"questions/{name}.j2.md"
        kept = words.read_text(encoding="utf-8")
        words.write_text(kept.replace("the", "this", 1), encoding="utf-8")
        assert content_of(replace(TRYIT)) != before
        words.write_text(kept, encoding="utf-8")


def test_the_same_content_is_the_same_everywhere():
    """Nothing of a process stands in it: no address, no order of a set."""
    for family in FAMILIES:
        assert content_of(replace(family)) == content_of(family)
        assert re.fullmatch(f"[{DIGITS}]{{3}}", content_of(family))
    assert len({content_of(family) for family in FAMILIES}) == len(FAMILIES)


def test_a_code_needs_the_content_of_its_own_family_alone(monkeypatch):
    asked = []
    monkeypatch.setattr(short_codes, "content_of", lambda family: asked.append(family.id) or content_of(family))
    read_short(short_code(TRYIT, 1, "12"), FAMILIES)
    assert set(asked) == {"SH-TRYIT"}


def test_a_short_code_draws_the_question_again():
    for family in FAMILIES:
        for level in family.levels:
            each = draft(family, level, "4711")
            said = read_short(short_code(family, level, "4711"), FAMILIES)
            again = draft(said.family, said.level, said.seed, parts=said.parts or None)
            assert again.variant().canonical() == each.variant().canonical()


def test_a_code_copied_by_hand_is_the_same_code():
    assert normal_id("o1li-ABCD") == "0111-ABCD"
