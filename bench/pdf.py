"""100 personal PDFs of 12 questions: our writer against bare `typst.Compiler` reuse, with WeasyPrint beside it.

    python bench/pdf.py [--papers 100] [--slow-papers 10] [--rounds 3]

The bare side compiles ready Typst sources, written beforehand with plain markup: same text, same figures, same tags,
one compiler kept. Ours starts from the assembled quiz: words to data, data to JSON, PDF. The sides take turns, paper by
paper; the ratio is the median of the turns' ratios. Two processes share the papers in halves.
"""

import argparse
import html
import multiprocessing
import re
import statistics
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor

import typst
from shown import table, verdict

import maskwise.exporters.pdf as ours
from generator.plan import QuizPlan
from generator.quiz import assemble
from question_bank.catalogue import families
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

# The look of templates/print, as one would write it by hand for one document.
PREAMBLE = """
#set document(title: "TITLE", date: none)
#set page(paper: "a4", margin: (x: 2.3cm, top: 2.1cm, bottom: 2.1cm), footer: context {
  set text(8.5pt, fill: luma(35%))
  grid(columns: (1fr, auto), [TITLE · CODE], counter(page).display("1 of 1", both: true))
})
#set text(font: "Libertinus Serif", size: 11pt, lang: "en")
#set par(leading: .68em, spacing: .95em)
#show heading: set text(11pt, weight: "bold")
#show heading.where(level: 1): set text(17pt)
#let mono(x) = text(font: "DejaVu Sans Mono", size: .84em, x)
#let tok(i, t) = { let m = t == "[MASK]"; box(width: 100%, inset: (x: 1pt, y: 3.5pt), radius: 2pt,
  fill: if m { black } else { white }, stroke: .6pt + luma(65%), align(center, { text(6pt, fill: if m { white } else {
  luma(35%) }, str(i)); linebreak(); text(7.4pt, fill: if m { white } else { black }, font: "DejaVu Sans Mono", t) })) }
#let part(l, q, p) = block(breakable: false, width: 100%, above: 1.15em, below: 1.15em, {
  grid(columns: (1.2em, 1fr, auto), column-gutter: .5em, strong(l), q, text(9.5pt, fill: luma(35%), p))
  pad(left: 1.7em, top: .2em, box(width: 6.4cm, height: 21pt, stroke: (bottom: .6pt)))
})
#grid(columns: (1fr, auto), heading(level: 1)[TITLE], [COURSE])
#line(length: 100%, stroke: .8pt)
#grid(columns: (1fr, auto), [Name #box(width: 6.4cm, stroke: (bottom: .6pt)) Student number #box(width: 2.9cm, stroke:
  (bottom: .6pt)) \\ Paper CODE], image(bytes(sys.inputs.qr), format: "svg", width: 15mm, height: 15mm, alt: "QR code"))
"""


def quiz(papers):
    return assemble(QuizPlan.parse(PLAN), families(), b"bench" * 6 + b"xx", papers=papers, prover=None)


def quoted(text):
    return re.sub(r"([\\#$*_`<>@\[\]~=/+-])", r"\\\1", text)


def markup(nodes):
    return "".join(piece(node) for node in nodes)


def piece(node):  # noqa: PLR0911  one return a kind
    if isinstance(node, str):
        return quoted(node)
    kind = node[0]
    if kind == "p":
        return markup(node[1]) + "\n\n"
    if kind == "named":
        return f"_{node[2]}_~=~{node[1]}"
    if kind in {"code", "shape"}:
        return f"#box(mono({string(node[1])}))"
    if kind == "strip":
        rows = (
            f"grid(columns: (1fr,) * {len(row)}, gutter: 3pt, "
            + ", ".join(f"tok({at}, {string(word)})" for at, word in enumerate(row))
            + ")"
            for row in node[1]
        )
        return f"#figure(stack(spacing: 7pt, {', '.join(rows)}), alt: {string(node[4])})\n\n"
    if kind == "table":
        cells = ", ".join(f"[{markup(cell)}]" for row in [node[1], *node[2]] for cell in row)
        return f"#figure(kind: table, table(columns: {len(node[2][0])}, stroke: none, {cells}))\n\n"
    return quoted(str(node[1]))


def string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def bare(data):
    paper = data["papers"][0]
    out = PREAMBLE.replace("TITLE", data["title"]).replace("CODE", paper["code"]).replace("COURSE", data["course"])
    for item in paper["items"]:
        out += f"\n== {item['number']}. {markup(item['title'])}\n{markup(item['stem'])}\n"
        out += "".join(
            f"#part([{part['letter']}], [{markup(part['ask'])}], [{part['points']}])\n" for part in item["parts"]
        )
    return out.encode(), paper["qr"]


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


def half(numbers):
    """Write the papers with these numbers; a process of its own, so the clock runs within, once it is warm."""
    made = quiz(max(numbers) + 1)
    ours.document(made, [made.papers[0]])
    started = time.perf_counter()
    for number in numbers:
        ours.document(made, [made.papers[number]])
    return time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser(description="Personal PDFs against bare Typst.")
    parser.add_argument("--papers", type=int, default=100)
    parser.add_argument("--slow-papers", type=int, default=10, help="papers for WeasyPrint")
    parser.add_argument("--rounds", type=int, default=3, help="of two processes")
    asked = parser.parse_args()
    made = quiz(asked.papers)
    sources = [bare(ours.sheet(made, [paper], key=False)) for paper in made.papers]
    with tempfile.TemporaryDirectory() as root:
        fonts = typst.Fonts(include_system_fonts=False, include_embedded_fonts=True)
        compiler = typst.Compiler(root=root, font_paths=fonts, ignore_system_fonts=True)

        def compile_bare(source):
            text, qr = source
            return compiler.compile(input=text, format="pdf", sys_inputs={"qr": qr}, pdf_standards=["ua-1"])

        compile_bare(sources[0])
        ours.document(made, [made.papers[0]])
        one, other = [], []
        for paper, source in zip(made.papers, sources, strict=True):
            one.append(timed(lambda p=paper: ours.document(made, [p])))
            other.append(timed(lambda s=source: compile_bare(s)))
    numbers = range(asked.papers)
    shared = []
    for _ in range(asked.rounds):
        # Typst keeps threads, so a process that has printed must not be forked.
        with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
            shared.append(max(pool.map(half, [numbers[::2], numbers[1::2]])) * 1000 / asked.papers)
    pages = [web_page(made, paper) for paper in made.papers[: asked.slow_papers]]
    import weasyprint  # the peer, installed by `make bench` alone

    slow = [timed(lambda p=page: weasyprint.HTML(string=p).write_pdf()) for page in pages]
    base, single, both = statistics.median(other), statistics.median(one), statistics.median(shared)
    over_bare = statistics.median(mine / theirs for mine, theirs in zip(one, other, strict=True))
    rows = (
        ("bare typst.Compiler reuse", base, 1, "", ""),
        ("Maskwise, one process", single, over_bare, f"≤ {TARGET_ONE} × bare", verdict(over_bare, TARGET_ONE)),
        (
            "Maskwise, two processes",
            both,
            both / base,
            f"≤ {TARGET_TWO} × one process",
            f"{both / single:.2f} ×: {verdict(both / single, TARGET_TWO)}",
        ),
        ("WeasyPrint", statistics.median(slow), statistics.median(slow) / base, "", ""),
        ("pdflatex, a document each (quoted)", PDFLATEX, PDFLATEX / base, "", ""),
    )
    table(
        (f"{asked.papers} personal PDFs of 12 questions", "ms each", "× bare", "target", "met"),
        [(name, f"{each:.1f}", f"{ratio:.2f}", *rest) for name, each, ratio, *rest in rows],
    )


if __name__ == "__main__":
    main()
