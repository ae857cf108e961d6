"""The documents of templates/print/ as one would write them by hand in Typst: plain markup, one source a document.

What bench/pdf.py holds ours against: same text, same figures, same tags, no data and no code beyond a preamble.
"""

import re

PREAMBLE = """
#let quiet = luma(35%)
#let hair = luma(65%)
#let mono-font = "DejaVu Sans Mono"
#set document(title: "TITLE", date: none)
#set page(paper: "a4", margin: (x: 2.3cm, top: 2.1cm, bottom: 2.1cm))
#set text(font: "Libertinus Serif", size: 11pt, lang: "en")
#set par(leading: .68em, spacing: .95em)
#show figure: set block(above: 1.1em, below: 1.1em)
#show heading: set text(11pt)
#show heading: set block(above: 0pt, below: .85em)
#let small(x) = text(9.5pt, fill: quiet, x)
#let mono(x) = text(font: mono-font, size: .84em, x)
#let id(x) = text(font: mono-font, size: .82em, x)
#let rule(width) = box(width: width, height: .9em, stroke: (bottom: .6pt))
#let foot(words, x, y) = text(8.5pt, fill: quiet, grid(columns: (1fr, auto), column-gutter: 1em, words, [#x of #y]))
#let head(points, name, code, qr) = {
  grid(columns: (1fr, auto), align: (left + bottom, right + bottom),
    heading(level: 1, text(17pt)[TITLE]), text(10pt)[COURSE])
  v(-.15em)
  line(length: 100%, stroke: .8pt)
  if qr == none {
    v(.1em)
    grid(columns: (1fr, auto), [*Answer key* #h(.6em) #small[#code] #h(.6em) #name], points)
    v(.9em)
  } else {
    v(.15em)
    grid(columns: (1fr, auto), column-gutter: 1.2em, align: left + horizon, {
      [Name #h(.3em) #name #h(1.1em) Student number #h(.3em) #rule(1fr)]
      v(.55em)
      small[#code #h(1fr) #points]
    }, image(bytes(qr), format: "svg", width: 15mm, height: 15mm, alt: "QR code"))
    v(.7em)
  }
}
#let question(title, body) = block(above: 1.9em, below: 0pt, width: 100%, sticky: true, {
  heading(level: 2, title)
  body
})
#let part(l, q, p, body) = block(breakable: false, width: 100%, above: 1.15em, below: 1.15em, {
  grid(columns: (1.2em, 1fr, auto), column-gutter: .5em, strong(l), q, small(p))
  pad(left: 1.7em, top: .35em, body)
})
#let boxed(width, hint) = {
  box(width: width, height: 9mm, radius: 2pt, stroke: .6pt + quiet, baseline: 3.2mm)
  h(.8em)
  small(hint)
}
#let lined(hint) = { small(hint); v(7mm); line(length: 100%, stroke: .6pt) }
#let working(height) = block(above: .9em, below: 0pt, height: height, small[Working])
#let cell(i, t) = block(width: 100%, height: 10.5mm, inset: (x: 1pt, top: 3.5pt), radius: 2pt, stroke: .6pt + quiet,
  align(center + top, stack(spacing: 6pt, text(6pt, fill: quiet, str(i)), t)))
#let cells(hint, n, ..rows) = {
  small(hint)
  stack(spacing: 6pt, ..rows.pos().enumerate().map(((r, row)) => {
    let line = grid(columns: (39.5pt,) * calc.min(10, n), gutter: 3pt, ..row.enumerate().map(((i, t)) => cell(i, t)))
    if rows.pos().len() == 1 { line } else {
      grid(columns: (36pt, auto), align: left + horizon, small[row #r], line)
    }
  }))
}
#let mark(t, on: false, r: 50%) = box(width: 5.2mm, height: 5.2mm, radius: r, stroke: .6pt, fill: if on { black },
  align(center + horizon, text(7.5pt, fill: if on { white } else { quiet }, t)))
#let none-of-these(on: false) = (mark("", on: on, r: 1.2pt), small[none of these])
#let pill(on: false) = box(height: 5.2mm, inset: (x: 5pt), radius: 2.6mm, stroke: .6pt, fill: if on { black },
  align(center + horizon, text(7.5pt, fill: if on { white } else { quiet })[none]))
#let picks(hint, n, ..options) = {
  small(hint)
  grid(columns: (auto, 1fr) * n, column-gutter: (6pt, 14pt) * n, row-gutter: 6pt, align: left + horizon, ..options)
}
#let spots(hint, n, ..options) = {
  small(hint)
  grid(columns: (38pt,) * n, row-gutter: 7pt, align: center + top, ..options)
}
#let tok(i, t) = { let m = t == "[MASK]"; block(width: 100%, inset: (x: 1pt, y: 4pt), radius: 2pt,
  fill: if m { black } else { white }, stroke: .6pt + if m { black } else { hair }, align(center, stack(spacing: 3.6pt,
  text(6pt, fill: if m { white } else { quiet }, str(i)), text(7.4pt, fill: if m { white } else { black }, font:
  mono-font, weight: if m { "bold" } else { "regular" }, t)))) }
#let answer(t, why) = grid(columns: (auto, 1fr), column-gutter: .8em,
  box(fill: luma(92%), inset: (x: 6pt, y: 4pt), radius: 2pt, baseline: 4pt, mono(strong(t))),
  pad(top: 3.2pt, { set text(9.5pt); set par(leading: .6em, spacing: .6em); why }))
#let known(run, ..slips) = {
  set text(8.5pt, fill: quiet)
  set par(leading: .55em, spacing: .55em)
  par(run)
  if slips.pos().len() > 0 {
    block(above: 6pt, grid(columns: (92pt, 1fr), column-gutter: 8pt, row-gutter: 4.5pt, ..slips))
  }
}
"""


def document(data):
    """Return the source of a document, given what ours is made from, and the QR code it shows."""
    papers = data["papers"]
    out = PREAMBLE.replace("TITLE", quoted(data["title"])).replace("COURSE", quoted(data["course"]))
    return (out + "".join(paper(each, data, alone=len(papers) == 1) for each in papers)).encode(), papers[0]["qr"]


def paper(each, data, *, alone):
    """Return the source of one paper or its key."""
    number, code, key = each["number"], quoted(each["code"]), data["key"]
    kind = " · answer key" if key else ""
    words = f"[{quoted(data['foot'])}{kind} · {each['name']} · #id[{code}] · {quoted(each['person'])}]"
    last = "counter(page).final().first()" if alone else f"counter(page).at(<end-{number}>).first()"
    picture = "none" if key else "sys.inputs.qr"
    name, label = quoted(each["person"]), "paper" if key else "Paper"
    out = f"\n#page(footer: context foot({words}, counter(page).display(), {last}))[\n"
    out += "" if alone else "#counter(page).update(1)\n"
    out += (
        f"#head([{each['points']}], [*{name}*], [{label} {number} · #id[{code}]], {picture})\n{markup(data['intro'])}\n"
    )
    for item in each["items"]:
        title = f"{item['number']}.#h(.45em){markup(item['title'])}"
        out += f"#question([{title}], [{markup(item['stem'])}])\n"
        out += "".join(part(one, key=key) for one in item["parts"])
        if item["proof"]:
            proof = item["proof"]
            out += (
                f"#par(text(8pt, fill: quiet)[Certificate #id[{proof['sha256']}] · PyTorch {proof['torch']} · "
                f"#id[{quoted(item['code'])}]])\n"
            )
    return out + f"#metadata(none)<end-{number}>\n]\n"


def part(one, *, key):
    """Return the source of a part."""
    body = keyed(one) if key else space(one["space"])
    if one["with"]:
        body += f"\n#small[{markup(one['with'])}]"
    if not key and one["work"]:
        body += f"\n#working({one['work']}mm)"
    return f"#part([{one['letter']}], [{markup(one['ask'])}], [{one['points']}], [{body}])\n"


def keyed(one):
    """Return the source of a key and what stands below it."""
    run = f"PyTorch: #mono({string(one['run'][0])}) → #mono({string(one['run'][1])}) · " if one["run"] else ""
    slips = ", ".join(
        f"[#text(fill: black, mono({string(value)}))], "
        f"[_{quoted(name)}_: {markup(words)} #mono({string(witness)}) {quoted(why)}]"
        for value, name, words, witness, why in one["slips"]
    )
    filled = space(one["space"], one["filled"]) if one["filled"] else ""
    cells = filled and not one["space"]["options"]
    why = f"[{markup(one['solution'])}]"
    answer = f"#text(9.5pt){why}" if cells else f"#answer({string(one['answer'])}, {why})"
    return (
        f"{filled}\n{answer}\n"
        f"#known([{run}proven by {quoted(one['by'])}{'' if one['run'] else ': ' + quoted(one['reason'])}], {slips})"
    )


def space(place, filled=None):
    """Return the source of an answer space, filled on the key."""
    hint = f"[{markup(place['rule'])}]"
    options = place["options"]
    if place["sort"] == "box":
        return f"#boxed({place['width']}mm, {hint})"
    if place["sort"] == "cells":
        rows = filled or [[None] * place["columns"]] * place["rows"]
        cells = ("(" + "".join(f"mono[*{quoted(t)}*]," if t else "none," for t in row) + ")" for row in rows)
        return f"#cells({hint}, {place['columns']}, {', '.join(cells)})"
    marks = [
        f"mark({string(mark)}, on: {'true' if filled and filled[at] else 'false'}"
        for at, (mark, _) in enumerate(options)
    ]
    none = f"on: {'true' if filled and not any(filled) else 'false'}"
    if place["sort"] == "places":
        spots = (f"[#{mark}) {markup(words)}]" for mark, (_, words) in zip(marks, options, strict=True))
        return f"#spots({hint}, {min(10, len(options) + 1)}, {', '.join(spots)}, pill({none}))"
    if options:
        radius = ")" if place["sort"] == "one" else ", r: 1.2pt)"
        across = max(1, min(5, len(options), int(440 / (place["longest"] * 5.5 + 37))))
        pairs = (f"{mark}{radius}, [{markup(words)}]" for mark, (_, words) in zip(marks, options, strict=True))
        last = "" if place["sort"] == "one" else f", ..none-of-these({none})"
        return f"#picks({hint}, {across}, {', '.join(pairs)}{last})"
    return f"#lined({hint})"


def quoted(text):
    return re.sub(r"([\\#$*_`<>@\[\]~=/+-])", r"\\\1", text)


def string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def markup(nodes):
    """Return blocks or a line as plain markup."""
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
    if kind == "flat":
        return flat(node[1])
    if kind in {"maths", "display"}:
        block = "true" if kind == "display" else "false"
        return f"#math.equation(block: {block}, alt: {string(node[2])}, ${maths(node[1])}$)"
    if kind == "strong":
        return f"#strong[{markup(node[1])}]"
    if kind == "em":
        return f"#emph[{markup(node[1])}]"
    return figure(node)


def figure(node):
    kind = node[0]
    if kind == "strip":
        rows = (
            f"grid(columns: (1fr,) * {min(10, len(row))}, gutter: 3pt, "
            + ", ".join(f"tok({at}, {string(word)})" for at, word in enumerate(row, start=node[3]))
            + ")"
            for row in node[1]
        )
        return f"#figure(stack(spacing: 7pt, {', '.join(rows)}), alt: {string(node[4])}{caption(node[2])})\n\n"
    if kind == "table":
        head = ", ".join(f"text(.86em, fill: quiet)[{markup(cell)}]" for cell in node[1])
        cells = ", ".join(f"[{markup(cell)}]" for row in node[2] for cell in row)
        shape = f"columns: {len(node[2][0])}, inset: (x: 7pt, y: 4.5pt), stroke: none, align: (left,) + (right,) * 40"
        lines = "table.hline(stroke: .6pt + hair)"
        head = f"table.header({head}), {lines}," if head else ""
        made = f"table({shape}, {lines}, {head} {cells}, {lines})"
        return f"#align(left, figure(kind: table, {made}{caption(node[3])}))\n\n" if node[3] else f"#{made}\n\n"
    if kind == "codeblock":
        return f"#block(inset: (left: 1em), mono({string(node[1])}))"
    return quoted(str(node[1]))


def caption(text):
    return f", supplement: none, numbering: none, caption: text(9.5pt, fill: quiet)[{quoted(text)}]" if text else ""


def flat(pieces):
    return "".join(
        quoted(each) if isinstance(each, str) else f"_{each[1]}_" if each[0] == "i" else f"#{each[0]}[{flat(each[1])}]"
        for each in pieces
    )


def maths(node):  # noqa: PLR0911  one return a kind
    kind = node[0]
    if kind == "row":
        return " ".join(map(maths, node[1]))
    if kind == "i":
        return node[1] if len(node[1]) == 1 else f'op("{node[1]}")'
    if kind == "frac":
        return f"({maths(node[1])})/({maths(node[2])})"
    if kind == "sqrt":
        return f"sqrt({maths(node[1])})"
    if kind == "attach":
        _, base, below, above = node
        return maths(base) + (f"_({maths(below)})" if below else "") + (f"^({maths(above)})" if above else "")
    if kind in {"n", "t"}:
        return string(node[1])
    if kind in {"o", "fence"}:
        return "\\" + node[1] if node[1] in "()[]{}|,;/#$_^&*" else node[1]
    return " "
