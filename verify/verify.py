"""Check teachers' JSON exports of Maskwise without trusting Maskwise: `python verify/verify.py FILE.json ...`.

Every key is derived again from what its question shows, by the model and the loops of this file; nothing of the project
is imported. Exit code 0: all holds; 1: something was changed or is not true; 2: a file cannot be read as an export.
"""
# ruff: noqa: BLE001, INP001, N806, PLR0911, T201  letters of the lesson name sizes; a checker prints and survives

import ast
import hashlib
import json
import operator
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

warnings.filterwarnings("ignore", "Failed to initialize NumPy")  # nothing here needs it
import torch  # noqa: E402

NUMBER = re.compile(r"-?\d+(?:/\d+|(?:\.\d*)?(?:e[+-]?\d\d?)?)|True|False")
ENTRY = re.compile(r"-?\d[\d./]*|[A-Za-z]+")  # a number or a word that a question shows
PLAIN = re.compile(r"(?:[\d\s\[\](){},./'-]|True|False|none)*")  # a value in numbers, with nothing beside them
TOKEN = re.compile(r"⟦(\[.*?\])⟧")
SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}
ROUTE = ("formula", "run", "trace", "by", "line", "also")  # of each route, what the certificate's hash covers
IN_CODE = {"flat": -1, "flat_labels": -1, "first": 0, "pooled": 1, "class_second": (1, 2)}  # part: numbers in its line


def need(holds: object, said: str) -> None:
    """Raise ValueError with what is said unless it holds."""
    if not holds:
        raise ValueError(said)


def shapes(family: str, given: dict) -> dict:
    """Build the lesson's model, run it on one batch and return the shape of each part. Large sizes live on meta."""
    B, T, D, V = (given[name] for name in "BTDV")
    H, N, M = given.get("H", 1), given.get("N", 1), sum(given["k"]) if "k" in given else given.get("M", 1)
    need(M <= B * T and N <= 100, f"no model of {N} layers can be run here on {B} x {T} positions with {M} masked")
    with torch.device("meta" if B * T * (V + 6 * D) + V * D > 2_000_000 else "cpu"):
        ids, labels, hits = torch.zeros(B, T).long(), torch.zeros(B).long(), torch.arange(M)
        x = emb = torch.nn.Embedding(V, D)(ids) + torch.nn.Embedding(given.get("L", T), D)(torch.arange(T))
        layer = torch.nn.TransformerEncoderLayer(D, H, given.get("F", 2 * D), 0.0, batch_first=True)
        encoded = enc = torch.nn.TransformerEncoder(layer, N, enable_nested_tensor=False)(x)
        logits, class_head = torch.nn.Linear(D, V)(encoded), torch.nn.Linear(D, given.get("C", 2))
        sel, tgt = logits[hits // T, hits % T], ids[hits // T, hits % T]  # by a mask, which meta tensors cannot do
        selected, targets, queries = sel, tgt, torch.nn.Linear(D, D)(x).unflatten(2, (H, -1)).transpose(1, 2)
        loss, flat, flat_labels = torch.nn.functional.cross_entropy(sel, tgt), logits.reshape(-1, V), ids.reshape(-1)
        first, scores = encoded[:, 0], layer.self_attn(x, x, x, average_attn_weights=False)[1]
        pooled, class_second, class_logits = encoded.mean(1), logits.transpose(1, 2), class_head(encoded.mean(1))
        if family == "CL-SHAPES":
            logits, loss = class_logits, torch.nn.functional.cross_entropy(class_logits, labels)
            predictions, weight, bias = class_logits.argmax(-1), class_head.weight, class_head.bias
    return {name: tuple(found.shape) for name, found in locals().items() if isinstance(found, torch.Tensor)}


def derive(family: str, given: dict) -> tuple[dict, list]:
    """Return what is true of each part of a family, and all that its words must show, from `given` alone."""
    rows = {name: v if isinstance(v[0], list) else [v] for name, v in given.items() if isinstance(v, list) and v}
    pairs = zip(rows.get("losses", rows.get("ids", [])), rows.get("masked", []), strict=False)
    cells = [(entry, t in masked) for row, masked in pairs for t, entry in enumerate(row)]
    B, T, M, n, N, mode = (given.get(name, 1) for name in (*"BTMnN", "mode"))
    ignore = given.get("ignore", -100)
    told = [*given.values(), *([ignore] if "ignore" not in given and {"ids", "labels"} & given.keys() else [])]
    match family:
        case "CT-BASIC":
            k, grid, M = given["k"], given.get("tokens", []), sum(given["k"])
            counts = [(len(row), row.count("[MASK]")) for row in grid]
            need(counts in ([], [(T, m) for m in k]) and len(k) == B and max(k) <= T, "the grid is not one of B, T, k")
            told = [given["V"], grid] if grid else list({**given, "k": k if len(set(k)) > 1 else k[:1]}.values())
            return {"total": M, "visible": sum(T - m for m in k), "rate": Fraction(M, B * T), "sel_rows": M}, told
        case "LS-MEAN" | "LS-COMPARE":
            every, masked = read([loss for loss, _ in cells]), read([loss for loss, hidden in cells if hidden])
            mean, plain, zeros = sum(masked) / len(masked), sum(every) / len(every), sum(masked) / len(every)
            found = {"terms": len(masked), "sum": sum(masked), "mean": mean, "masked": mean, "everything": plain}
            return {**found, "zero_filled": zeros, "shrink": zeros / mean, "gap": mean - plain}, told
        case "LB-BUILD":
            inputs = [given["mask_id"] if hidden else token for token, hidden in cells]
            labels, words = [token if hidden else ignore for token, hidden in cells], given.get("words", [])
            in_words = [[words[token] for token, _ in cells if words], words, given["masked"], n, ignore]
            return {"inputs": inputs, "labels": labels}, [in_words if words else told, [0] * ("n" in given)]
        case "LB-READ":
            where = [(b, t) for b, row in enumerate(rows["labels"]) for t, label in enumerate(row) if label != ignore]
            M, size = len(where), sum(map(len, rows["labels"]))
            return {"scored": M, "ignored": size - M, "sel": (M, given["V"]), "where": where}, told
        case "LK-FIND":
            pairs = zip(given["inputs"], given["labels"], strict=True)
            scored = [(t, seen, label) for t, (seen, label) in enumerate(pairs) if label != ignore]
            leaked = [t for t, seen, label in scored if seen == label and t not in given.get("kept", [])]
            hidden, share = sum(seen == given["mask_id"] for _, seen, _ in scored), Fraction(len(leaked), len(scored))
            return {"leaked": leaked, "count": len(leaked), "share": share, "hidden": hidden}, told
        case "VI-SEE":
            hidden = torch.tensor([[key >= n or (key > t and mode == "causal") for key in range(T)] for t in range(T)])
            weights = torch.zeros(T, T).masked_fill(hidden, -torch.inf).softmax(-1)  # of attention without preferences
            reads = torch.linalg.matrix_power(weights, N)[given["i"]].nonzero().tolist()
            return {"visible": reads}, [T, given["i"], *(count for count in (N, T - n) if count not in (0, 1))]
        case "OB-COMPARE":
            true = [word for word in given.get("statements", ()) if word in ("replaced", "chosen_only", "both_sides")]
            ids, told = torch.zeros(B, T, device="meta"), [T, M, *([B] if B > 1 else [])]
            return {"bert": ids.flatten()[:M].numel(), "gpt": ids[:, 1:].numel(), "statements": true}, told
        case "CL-POOL":
            length, real = len(given["rows"]), [given[name] for name in ("n", "n2") if name in given]
            marks = [int(t < count) for count in real for t in range(max(length, count))]
            mean = [str(sum(read(column)) / n) for column in zip(*given["rows"][:n], strict=True)]
            return {"first": given["rows"][0], "mean": mean}, [given["rows"], given.get("neighbour", ""), marks]
        case "SH-CHAIN" | "SH-TRYIT" | "SH-SYMBOL" | "CL-SHAPES":
            return shapes(family, given), told
    raise ValueError(f"nothing is known here of {family}")


def formula(tree: object) -> str:
    """Return a stored formula as text: ["*", "B", "T"] is (B*T). No name or sign has blanks in it."""
    return re.sub(r"\s", "?", f"({tree[0].join(map(formula, tree[1:]))})" if isinstance(tree, list) else str(tree))


def value(node: ast.expr, sizes: dict) -> Fraction:
    """Return the value of a formula in the letters."""
    if isinstance(node, ast.BinOp):
        return SIGNS[type(node.op)](value(node.left, sizes), value(node.right, sizes))
    return Fraction(sizes[node.id] if isinstance(node, ast.Name) else node.value)


def read(said: object, kind: str = "", sizes: dict | None = None) -> list:
    """Read what a file says, as text or as data: its numbers in order (of a set: sorted), or words that are picked."""
    if kind == "multi":
        return sorted(re.findall(r"\w+", str(said)))
    if kind == "shape_sym":
        text = said if isinstance(said, str) else f"({''.join(formula(axis) + ',' for axis in said)})"
        return [value(axis, sizes) for axis in ast.parse(text, mode="eval").body.elts]
    numbers = [Fraction({"True": 1, "False": 0}.get(found, found)) for found in NUMBER.findall(str(said))]
    return sorted(numbers) if kind == "set" else numbers


def near(said: list, own: list, slack: Fraction | int = 0) -> bool:
    """Whether both are the same, number by number where one may be off by some slack."""
    return said == own or (slack > 0 and len(said) == len(own) and max(map(abs, map(operator.sub, said, own))) <= slack)


def part_claims(part: dict, route: dict, ways: list) -> Iterator[tuple]:
    """Yield what key, options, slips and certificate say of a part: a sentence, what is said, what is so, a slack."""
    answer, plain = part["answer"], part["answer"].get("of", part["answer"])
    kind, name = plain["kind"], next(name for name in ("axes", "value", "items", "rows", "words") if name in plain)
    places, options = plain.get("places", 0), answer.get("options", plain.get("among", []))
    half = Fraction(1, 2 * 10**places) if places else 0

    def each(said: object) -> list:
        need(kind in ("multi", "shape_sym") or PLAIN.fullmatch(str(said)), f"{said} is no value")
        return [number for sizes, *_ in ways for number in read(said, kind, sizes)]

    own = [number for sizes, truth, _ in ways for number in read(truth[part["id"]], kind, sizes)]
    yield "the key says {}, running gives {}", each(plain[name]), own
    yield "the formula shows {}, running gives {}", each(route["formula"]), own, half
    yield "it is asked to {} decimals, not {}", [part["context"].get("places", places)], [places]
    for slip, wrong in ((slip["id"], slip["answer"].get("of", slip["answer"])) for slip in part["slips"]):
        yield f"the slip {slip} gives {{}}", ["the key"] * near(each(wrong[name]), own, half), []
    if "of" in answer:
        yield "of {} options, {} differ", [len(options)], [len({str(each(option)) for option in options})]
        right = [option for option in options if near(each(option), own, half)]
        yield "marked as right is {}, running gives {}", [answer["word"]], right
    if kind != "multi":
        runs = [run["shape"] for run in route["observed"]] if kind == "shape_sym" else [route["observed"]]
        known = own[: len(read(runs))] if kind == "shape_sym" else own
        yield "the run observed {}, running gives {}", read(runs), known, Fraction(1, 10**12)
        digits = [Fraction(f"{float(number):.10g}") for number in read(route["observed"])]
        yield "the run gave {}, but observed {}", sorted(read(route["run"])), sorted(digits)
        printed = [Fraction(f"{float(number):.4f}") for number in read(runs[0])]
        yield "the run printed {}, but observed {}", read(re.sub(r"(dtype|size)=[^)]*", "", route["printed"])), printed
        for option, label in zip(options, part.get("labels", []), strict=False):
            shown = [json.loads(token)[1] for token in TOKEN.findall(label)]
            beside = [str(ways[0][0]["inputs"][option])] if len(shown) > 1 and shown[1] != "[MASK]" else shown[1:]
            yield "the option {1} is labelled {0}", shown, [str(option), *beside]


def word_claims(variant: dict, told: list) -> Iterator[tuple]:
    """Yield what the tokens of title, stem and asks show: a sentence, what is said, what is so."""
    words = "".join(text for name, text in variant["words"].items() if name.startswith(("title", "stem", "ask_")))
    told = [IN_CODE.get(part["id"], "") for part in variant["parts"]] if "letters" in variant["given"] else told
    shown, wanted = Counter(), Counter(ENTRY.findall(str(told)))
    for kind, said, *letter in map(json.loads, TOKEN.findall(words)):
        if kind in ("num", "named") and letter[0]:
            yield f"the words say {letter[0]} = {{}}, given is {{}}", [said], [str(variant["given"][letter[0]])]
        shown.update((ENTRY if kind in ("strip", "table") else NUMBER).findall(str(said)))
    more = shown - wanted
    if "masked" in variant["given"]:  # sequences are named by their numbers, one as often as the other
        yield "the words name the wrong sequences", [more.pop("0", 0) - more.pop("1", 0) in (0, 1)], [True]
    yield "the words leave out {} and add {}", sorted(wanted - shown), sorted(more)


def question_claims(item: dict) -> Iterator[tuple]:
    """Yield all that a question says: of which part, a sentence, what is said, what is so, a slack."""
    variant, certificate = dict(item["variant"]), item["variant"]["certificate"]
    given, routes = variant["given"], variant.pop("certificate")["routes"]
    need(max(map(abs, read(given)), default=0) <= 10**6 and given.get("T", 0) <= 1000, "it is too large to be run")
    # Unlike sizes for letters that nobody can foresee.
    drawn = [dict(zip("BTVMCH", sizes, strict=True)) for sizes in (7 + torch.rand(2, 33).argsort()[:, :6]).tolist()]
    letters = [*certificate["replay"]["runs"], *({**sizes, "D": 6 * sizes["H"]} for sizes in drawn)]
    ways = [(sizes, *derive(variant["family"], sizes)) for sizes in (letters if "letters" in given else [given])]
    for part in variant["parts"]:
        yield from ((f", part {part['id']}", *claim) for claim in part_claims(part, routes[part["id"]], ways))
        share = Fraction(item["points"]) * part["points"] / sum(each["points"] for each in variant["parts"])
        yield f", part {part['id']}", "its points are {}, not {}", [Fraction(item["part_points"][part["id"]])], [share]
    yield from (("", *claim) for claim in word_claims(variant, ways[0][2]))
    hashed = {part: {name: route[name] for name in ROUTE if name in route} for part, route in routes.items()}
    yield "", "its SHA-256 is {}, not {}", [certificate["sha256"]], [digest({"variant": variant, "routes": hashed})]


def claims(document: dict) -> Iterator[tuple]:
    """Yield all that an export says: where, a sentence, what is said, what is so, a slack."""
    for p, paper in enumerate(document["papers"], 1):
        for q, item in enumerate(paper["items"], 1):
            yield f"paper {p}, question {q}", "they are numbered {}, not {}", [paper["number"], item["number"]], [p, q]
            yield from ((f"paper {p}, question {q}{part}", *claim) for part, *claim in question_claims(item))
        points = sum(Fraction(item["points"]) for item in paper["items"])
        yield f"paper {p}", "its points are {}, not {}", [Fraction(paper["points"])], [points]
    yield "the whole file", "its SHA-256 is {}, not {}", [document.pop("sha256")], [digest(document)]


def unique(pairs: list) -> dict:
    """Return the names and values of a JSON object. Raises ValueError where a name stands twice."""
    need(len(dict(pairs)) == len(pairs), "a name stands twice in it")
    return dict(pairs)


def digest(data: dict) -> str:
    """Return the SHA-256 of data in its one spelling: sorted names, no blanks, UTF-8."""
    text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def main(paths: list[str]) -> int:
    """Print one line a file and return the worst of their exit codes."""
    code = 0
    for path in paths:
        where, keys, verdict = "", 0, (2, "UNREADABLE")
        try:
            document = json.loads(Path(path).read_bytes(), object_pairs_hook=unique)
            need(document["format"] == 2 and document["confirmed"], "not of format 2, or made with --no-confirm")
            verdict = 1, "TAMPERED"
            for place, what, said, own, *slack in claims(document):
                where, keys = f"{place}: ", keys + what.startswith("the key says")
                shown = [each[0] if len(each) == 1 else f"({', '.join(map(str, each))})" for each in (said, own)]
                need(near(said, own, *slack), what.format(*shown))
            print(f"ok {path}  {keys} keys")
        except Exception as problem:
            code = max(code, verdict[0])
            print(f"{verdict[1]} {path}  {where}{problem if isinstance(problem, ValueError) else repr(problem)}")
    return code


if __name__ == "__main__":
    torch.seed()
    torch.set_num_threads(1)
    sys.exit(main(sys.argv[1:]) if set(sys.argv[1:]) - {"--help"} else print(__doc__))
