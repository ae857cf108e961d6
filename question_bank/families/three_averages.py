"""LS-COMPARE: three averages of the same losses, of which one is the masked-language loss."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from generator.family import Ask, Family, Rule
from grader.answers import Decimal, Rational
from grader.expr import Letter
from grader.letters import M
from question_bank.families.masked_mean_loss import A, P, S, U, check_losses, sizes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generator.draw import Draw

_PARTS = {1: ("masked", "everything"), 2: ("zero_filled", "shrink"), 3: ("masked", "everything", "gap")}
# Unmasked losses of an easy rest, in hundredths: averaging everything then looks like success.
_EASY = 9


def draw(draw: Draw, level: int) -> tuple[str, ...] | None:
    """Level 1: a short row, two masked; 2 and 3: a longer one, two to four masked. The unmasked ones may be easy."""
    length = 4 + draw.below(3) if level == 1 else 5 + draw.below(4)
    count = 2 if level == 1 else 2 + draw.below(3)
    easy = draw.below(2) == 0
    if count > length - 2:
        return None
    masked = draw.sample(range(length), count)
    draw.given["losses"] = [_loss(draw, easy=easy and place not in masked) for place in range(length)]
    draw.given["masked"] = masked
    return _PARTS[level]


def _loss(draw: Draw, *, easy: bool) -> str:
    cents = 1 + draw.below(_EASY) if easy else 5 + draw.below(596)
    return f"{cents // 100}.{cents % 100:02}"


def iso(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the number of positions, of masked ones, and whether the unmasked ones are easy."""
    losses, masked = given["losses"], given["masked"]
    if isinstance(losses[0], list):
        rows = zip(losses, masked, strict=True)
        pairs = [(loss, place in places) for row, places in rows for place, loss in enumerate(row)]
    else:
        pairs = [(loss, place in masked) for place, loss in enumerate(losses)]
    rest = [Fraction(loss) for loss, hidden in pairs if not hidden]
    return (len(pairs), len(pairs) - len(rest), all(loss * 100 <= _EASY for loss in rest))


MASKED, EVERYTHING, ZERO_FILLED = Decimal(S / M, 4), Decimal(A / P, 4), Decimal(S / P, 4)
_SCORES, _IDS, _LABELS = "logits.reshape(-1, V)", "ids.reshape(-1)", "labels.reshape(-1)"

FAMILY = Family(
    id="LS-COMPARE",
    slug="three_averages",
    title="Three averages of one batch",
    topic="loss",
    core=True,
    version=1,
    world="losses",
    levels={1: "masked mean and mean of all", 2: "zeros kept in the mean", 3: "the gap between two means"},
    draw=draw,
    asks=(
        Ask(
            "masked",
            MASKED,
            "losses[mask].mean()",
            (
                Rule("zero_filled", ZERO_FILLED, "(losses * mask).mean()"),
                Rule("everything", EVERYTHING, "losses.mean()"),
            ),
            unit=("nats",),
            also=(f"CE({_SCORES}, {_LABELS})",),
        ),
        Ask(
            "everything",
            EVERYTHING,
            "losses.mean()",
            (
                Rule("masked_only", MASKED, "losses[mask].mean()"),
                Rule("zero_filled", ZERO_FILLED, "(losses * mask).mean()"),
            ),
            unit=("nats",),
            also=(f"CE({_SCORES}, {_IDS})",),
        ),
        Ask(
            "zero_filled",
            ZERO_FILLED,
            "(losses * mask).mean()",
            (
                Rule("same_as_masked", MASKED, "losses[mask].mean()"),
                Rule("everything", EVERYTHING, "losses.mean()"),
            ),
            unit=("nats",),
            also=(f'CE({_SCORES}, {_LABELS}, reduction="none").mean()',),
        ),
        Ask(
            "shrink",
            Rational(M / P),
            "(losses * mask).mean() / losses[mask].mean()",
            (
                Rule("inverted", Rational(P / M), "losses[mask].mean() / (losses * mask).mean()"),
                Rule("masked_to_rest", Rational(M / U), "mask.sum() / (~mask).sum()"),
            ),
            follows=("masked", "zero_filled"),
            # Whoever divides means that were rounded to four decimals gets a decimal, too.
            carry=lambda _given: Decimal(Letter("zero_filled") / Letter("masked"), 4),
            allow=("percent",),
            also=("mask.double().mean()",),
        ),
        Ask(
            "gap",
            Decimal(S / M - A / P, 4),
            "losses[mask].mean() - losses.mean()",
            (
                Rule("sign_flipped", Decimal(A / P - S / M, 4), "losses.mean() - losses[mask].mean()"),
                Rule("zero_filled_used", Decimal(S / M - S / P, 4), "losses[mask].mean() - (losses * mask).mean()"),
            ),
            follows=("masked", "everything"),
            carry=lambda _given: Decimal(Letter("masked") - Letter("everything"), 4),
            unit=("nats",),
            also=(f"CE({_SCORES}, {_LABELS}) - CE({_SCORES}, {_IDS})",),
            guessable="as a choice, a number and its opposite stand out, and the key is one of the two",
        ),
    ),
    given_names=("losses", "masked"),
    sizes=sizes,
    check_given=check_losses,
    iso=iso,
)
