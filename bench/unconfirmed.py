"""One plan to Moodle XML before confirmation, in a process of its own: what `bench/moodle.py` times.

    python bench/unconfirmed.py PLAN SEED DATA_FOLDER FILE

The product writes no file for a learning platform whose keys no run has confirmed, so this drives the functions behind
its command: the plan is read, every question drawn, every word, hint, feedback and solution rendered, every accepted
spelling listed, the XML built, written and flushed to the disk. Left out are the command line and the proof: no run is
looked up or compared, no certificate is hashed, and where a solution quotes what PyTorch printed, this one quotes the
formula. So nothing of it is to be handed out.
"""

import gc
import sys
from pathlib import Path

gc.set_threshold(10_000, 10, 10)  # here and at the end as the command does

from generator import quiz  # noqa: E402
from generator.build import render_words  # noqa: E402
from generator.codes import lookup_id  # noqa: E402
from generator.slots import Sealed, Slots  # noqa: E402
from generator.variant import Route  # noqa: E402
from maskwise.exporters import moodle  # noqa: E402
from maskwise.files import write_file  # noqa: E402
from maskwise.services.compiled import keep_compiled  # noqa: E402
from question_bank.catalogue import families, quiz_plan  # noqa: E402


def claimed(ask, key):
    """Return the route of a key that nobody has run."""
    shown = key.display()
    return Route(shown, None, None, "formula only", ask.line or "", shown, None, reason="not confirmed")


def worded(item):
    """Return a drafted question with all the words that a certified one has."""
    routes = {ask.id: claimed(ask, key) for (ask, _rules), (key, _wrong) in zip(item.served, item.answers, strict=True)}
    words = render_words(item, item.family.runs(item.given), routes)
    # As if no witness gave a key away: each is shown, and so there are more words than in a proven question.
    return item.variant(words, lambda _part, _slip: False)


def written(plan, seed):
    """Return the bytes of the file. Sealed as papers are; their secret is no secret here."""
    key = b"bench" + seed.encode()
    drawn = Slots(plan, families()).paper(Sealed(key, plan.slug), "1")
    items = tuple(
        quiz._item(place, each, worded(each.each), plan, key, "1")  # noqa: SLF001  what `assemble` does, with other words
        for place, each in enumerate(drawn, start=1)
    )
    paper = quiz.Paper(1, lookup_id(key, plan.slug, "paper", "1"), items)
    made = quiz.Quiz(plan.title, plan.slug, plan.course, (paper,), plan, sealed=True, confirmed=False)
    return moodle._document(made, moodle._Found())  # noqa: SLF001  `export` refuses what is not confirmed


def main():
    plan, seed, folder, file = sys.argv[1:]
    keep_compiled(Path(folder))
    write_file(Path(file), written(quiz_plan(plan), seed), force=True)
    gc.freeze()


if __name__ == "__main__":
    main()
