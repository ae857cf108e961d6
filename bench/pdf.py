"""Personal PDFs: our writer against bare `typst.Compiler` reuse, with WeasyPrint beside it.

    python bench/pdf.py [--papers 100] [--people 300] [--slow-papers 10] [--rounds 3]

Two sets: papers of 12 questions, and lesson-12 for a whole course, for each person a paper and its key. The bare side
compiles ready Typst sources, written beforehand with plain markup (bench/bare.py): same text, same figures, same tags,
one compiler kept. Ours starts from the assembled quiz: words to data, data to JSON, PDF. The sides take turns, paper by
paper; the ratio is the median of the turns' ratios. Two processes share the people in halves.
"""

import argparse
import html
import multiprocessing
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import bare
import typst
from shown import table, verdict

import maskwise.exporters.pdf as ours
from generator.plan import QuizPlan
from generator.quiz import Person, assemble
from maskwise.services.prover import Prover
from question_bank.catalogue import families, quiz_plan
from templates import markup as words

TARGET_ONE, TARGET_TWO = 1.1, 0.6
PDFLATEX = 99.5  # milliseconds

PLAN = 'title = "Twelve questions"\ncourse = "Bench"\n' + "".join(
    f'[[item]]\nfamily = "{family}"\nlevel = {level}\ncount = {count}\n'
    for family, level, count in (
        ("SH-TRYIT", 1, 3),
        ("SH-CHAIN", 2, 3),
        ("SH-SYMBOL", 2, 2),
        ("CT-BASIC", 3, 2),
        ("LS-MEAN", 2, 2),
    )
)


def quiz(plan, people):
    """Assemble proven papers with names on them."""
    names = [Person(f"person/{number}", f"Ada Lovelace {number}", str(number)) for number in range(1, people + 1)]
    with Prover() as prover:
        return assemble(plan, families(), b"bench" * 6 + b"xx", people=names, prover=prover)


class Bare:
    """One bare compiler, kept: `compile` takes a source and the QR code it shows."""

    def __init__(self, root):
        fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True)
        self.compiler = typst.Compiler(root=root, font_paths=fonts, ignore_system_fonts=True)

    def compile(self, source):  # noqa: D102  see above
        text, qr = source
        return self.compiler.compile(input=text, format="pdf", sys_inputs={"qr": qr}, pdf_standards=["ua-1"])


def web_page(made, paper):
    body = "".join(
        f"<h2>{item.number}. {words.to_text(item.variant.words['title'])}</h2>"
        + words.to_html(item.variant.words["stem"])
        + "".join(
            f"<div>{words.to_html(item.variant.words[f'ask_{part.id}'])}<hr></div>" for part in item.variant.parts
        )
        for item in paper.items
    )
    return f"<html lang=en><title>{html.escape(made.title)}</title><h1>{html.escape(made.title)}</h1>{body}</html>"


def timed(work):
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def written(made, paper, *, key):
    """Write a paper, and its key: what is measured."""
    ours.document(made, [paper])
    if key:
        ours.document(made, [paper], key=True)


def side_by_side(made, compiler, *, key=False):
    """Return milliseconds of (ours, bare) for each paper."""
    kinds = (False, True) if key else (False,)
    sources = [[bare.document(ours.sheet(made, [paper], key=kind)) for kind in kinds] for paper in made.papers]
    compiler.compile(sources[0][0])
    ours.document(made, [made.papers[0]])
    return [
        (
            timed(lambda p=paper: written(made, p, key=key)),
            timed(lambda both=both: [compiler.compile(source) for source in both]),
        )
        for paper, both in zip(made.papers, sources, strict=True)
    ]


def half(made, key):
    """Write half of the papers; a process of its own, so the clock runs within, once it is warm."""
    written(made, made.papers[0], key=key)
    started = time.perf_counter()
    for paper in made.papers:
        written(made, paper, key=key)
    return time.perf_counter() - started


def halves(made, rounds, *, key=False):
    """Return the milliseconds of each paper where two processes share them."""
    shared = []
    for _ in range(rounds):
        # Typst keeps threads, so a process that has printed must not be forked.
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
            mine = [replace(made, papers=made.papers[start::2]) for start in (0, 1)]
            shared.append(max(pool.map(half, mine, [key, key])) * 1000 / len(made.papers))
    return statistics.median(shared)


def slow(made, papers):
    import weasyprint  # the peer, installed by `make bench` alone

    pages = [web_page(made, paper) for paper in made.papers[:papers]]
    return statistics.median(timed(lambda p=page: weasyprint.HTML(string=p).write_pdf()) for page in pages)


def rows(pairs, both):
    """Return the rows of a table: pairs of (ours, bare), and two processes."""
    single, base = (statistics.median(pair[at] for pair in pairs) for at in (0, 1))
    over = statistics.median(mine / theirs for mine, theirs in pairs)
    return base, [
        ("bare typst.Compiler reuse", base, 1, "", ""),
        ("Maskwise, one process", single, over, f"≤ {TARGET_ONE} × bare", verdict(over, TARGET_ONE)),
        (
            "Maskwise, two processes",
            both,
            both / base,
            f"≤ {TARGET_TWO} × one process",
            f"{both / single:.2f} ×: {verdict(both / single, TARGET_TWO)}",
        ),
    ]


def shown(title, found):
    table(
        (title, "ms each", "× bare", "target", "met"),
        [(name, f"{each:.1f}", f"{ratio:.2f}", *rest) for name, each, ratio, *rest in found],
    )


def main():
    parser = argparse.ArgumentParser(description="Personal PDFs against bare Typst.")
    parser.add_argument("--papers", type=int, default=100, help="papers of twelve questions")
    parser.add_argument("--people", type=int, default=300, help="people who get lesson-12")
    parser.add_argument("--slow-papers", type=int, default=10, help="papers for WeasyPrint; 0 leaves it out")
    parser.add_argument("--rounds", type=int, default=3, help="of two processes")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        compiler = Bare(root)
        made = quiz(QuizPlan.parse(PLAN), asked.papers)
        base, found = rows(side_by_side(made, compiler), halves(made, asked.rounds))
        if asked.slow_papers:
            peer = slow(made, asked.slow_papers)
            found.append(("WeasyPrint", peer, peer / base, "", ""))
        found.append(("pdflatex, a document each (quoted)", PDFLATEX, PDFLATEX / base, "", ""))
        shown(f"{asked.papers} personal PDFs of 12 questions", found)
        print()
        made = quiz(quiz_plan("lesson-12"), asked.people)
        _base, found = rows(side_by_side(made, compiler, key=True), halves(made, 1, key=True))
        shown(f"lesson-12 for {asked.people} people, paper and key", found)


if __name__ == "__main__":
    main()
