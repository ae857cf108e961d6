"""Check teachers' JSON exports of Maskwise without trusting Maskwise: `python verify/verify.py FILE.json ...`.

Keys are derived anew from what questions show, by this file alone. Exit code 0: all holds, 1: tampered, 2: unreadable.
"""
# ruff: noqa: BLE001, INP001, N806, PLR0911, T201  letters of the lesson name sizes; a checker prints and survives

import ast
import hashlib
import json
import re
import sys
import warnings
from collections import Counter, abc
from fractions import Fraction
from functools import reduce
from operator import add, mul, sub, truediv
from pathlib import Path
from random import sample

warnings.filterwarnings("ignore", "Failed to initialize NumPy")  # nothing here needs it
import torch  # noqa: E402

NUMBER = re.compile(r"-?\d+(?:/\d+|(?:\.\d*)?(?:e[+-]?\d\d?)?)|True|False")
ENTRY = re.compile(r"-?\d[\d./]*|[A-Za-z]+")  # a number or a word that a question shows
SIGNS = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv, "+": add, "-": sub, "*": mul, "/": truediv}
READER = json.JSONDecoder(object_pairs_hook=lambda it: need(len(dict(it)) == len(it), "a name twice") or dict(it))
IN_CODE = {"flat": -1, "flat_labels": -1, "first": 0, "pooled": 1, "class_second": (1, 2)}  # part: numbers in its line
DRAWN = [dict(zip("BTVMCHD", [*n, 6 * n[5]], strict=True)) for n in map(sample, [range(7, 40)] * 2, [6, 6])]  # by lot


def need(holds: object, said: str) -> None:
    """Raise ValueError with what is said unless it holds."""
    if not holds:
        raise ValueError(said)


def shapes(family: str, given: dict) -> dict:
    """Build the lesson's model, run it on one batch and return the shape of each part. Large sizes live on meta."""
    B, T, D, V, H, N, M = ({"H": 1, "N": 1, "M": sum(given.get("k", [1])), **given}[name] for name in "BTDVHNM")
    need(M <= B * T and N <= 100, f"no model of {N} layers can be run here on {B} x {T} positions with {M} masked")
    with torch.device("meta" if B * T * (V + 6 * D) + V * D > 2_000_000 else "cpu"):
        ids, labels, hits, nn = torch.zeros(B, T).long(), torch.zeros(B).long(), torch.arange(M), torch.nn
        x = emb = nn.Embedding(V, D)(ids) + nn.Embedding(given.get("L", T), D)(torch.arange(T))
        layer = nn.TransformerEncoderLayer(D, H, given.get("F", 2 * D), 0.0, batch_first=True)
        encoded = enc = nn.TransformerEncoder(layer, N, enable_nested_tensor=False)(x)
        logits, class_head, pooled = nn.Linear(D, V)(encoded), nn.Linear(D, given.get("C", 2)), encoded.mean(1)
        sel, tgt, flat = logits[hits // T, hits % T], ids[hits // T, hits % T], logits.reshape(-1, V)
        selected, targets, queries = sel, tgt, nn.Linear(D, D)(x).view(B, T, H, -1).transpose(1, 2)
        scores, class_logits = layer.self_attn(x, x, x, average_attn_weights=False)[1], class_head(pooled)
        class_second, predictions, (weight, bias) = logits.mT, class_logits.argmax(-1), class_head.parameters()
        logits, told, true = (class_logits, class_logits, labels) if family == "CL-SHAPES" else (logits, sel, tgt)
        loss, first, flat_labels = nn.functional.cross_entropy(told, true), encoded[:, 0], ids.reshape(-1)
    return {name: tuple(found.shape) for name, found in locals().items() if isinstance(found, torch.Tensor)}


def derive(family: str, given: dict) -> tuple[dict, list]:
    """Return what is true of each part of a family, and all that its words must show, from `given` alone."""
    rows = {name: v if isinstance(v[0], list) else [v] for name, v in given.items() if isinstance(v, list) and v}
    pairs = list(zip(rows.get("losses", rows.get("ids", [])), rows.get("masked", []), strict=False))
    cells = [(entry, t in masked) for row, masked in pairs for t, entry in enumerate(row)]
    B, T, M, n, N, mode, ignore = ({"ignore": -100, **given}.get(name, 1) for name in (*"BTMnN", "mode", "ignore"))
    told = [*given.values(), *([ignore] if "ignore" not in given and {"ids", "labels"} & given.keys() else [])]
    names = list(range(len(pairs))) if len(pairs) > 1 else []  # several sequences are named by their numbers
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
            return {**found, "zero_filled": zeros, "shrink": zeros / mean, "gap": mean - plain}, [told, names]
        case "LB-BUILD":
            inputs = [given["mask_id"] if hidden else token for token, hidden in cells]
            labels, words = [token if hidden else ignore for token, hidden in cells], given.get("words", [])
            in_words = [words, [words[i] for i, _ in cells if words], given["masked"], n, ignore, names * 2, 0, 0]
            return {"inputs": inputs, "labels": labels}, in_words if words else [told, [0] * ("n" in given)]
        case "LB-READ":
            where = [(b, t) for b, row in enumerate(rows["labels"]) for t, label in enumerate(row) if label != ignore]
            M, size = len(where), sum(map(len, rows["labels"]))
            return {"scored": M, "ignored": size - M, "sel": (M, given["V"]), "where": where}, told
        case "LK-FIND":
            scored = [(t, given["inputs"][t], label) for t, label in enumerate(given["labels"]) if label != ignore]
            leaked = [t for t, seen, label in scored if seen == label and t not in given.get("kept", [])]
            hidden, share = sum(seen == given["mask_id"] for _, seen, _ in scored), Fraction(len(leaked), len(scored))
            return {"leaked": leaked, "count": len(leaked), "share": share, "hidden": hidden}, told
        case "VI-SEE":
            hidden = torch.tensor([[key >= n or (key > t and mode == "causal") for key in range(T)] for t in range(T)])
            reads = torch.zeros(T, T).masked_fill(hidden, -torch.inf).softmax(-1).matrix_power(N)[given["i"]].nonzero()
            return {"visible": reads.tolist()}, [T, given["i"], *(count for count in (N, T - n) if count not in (0, 1))]
        case "OB-COMPARE":
            true = [word for word in given.get("statements", ()) if word in ("replaced", "chosen_only", "both_sides")]
            return {"bert": M, "gpt": B * (T - 1), "statements": true}, [T, M, *([B] if B > 1 else [])]
        case "CL-POOL":
            marks = [int(t < given[name]) for name in ("n", "n2") if name in given for t in range(len(given["rows"]))]
            mean = [str(sum(read(column)) / n) for column in zip(*given["rows"][:n], strict=True)]
            return {"first": given["rows"][0], "mean": mean}, [given["rows"], given.get("neighbour", ""), marks]
    return shapes(family, given), told


def value(axis: object, sizes: dict) -> Fraction:
    """Return the value of a formula in the letters: of a stored one, ["*", "B", "T"], or of a text that is parsed."""
    axis = [type(axis.op), axis.left, axis.right] if isinstance(axis, ast.BinOp) else axis
    if isinstance(axis, list):
        return reduce(SIGNS[axis[0]], [value(each, sizes) for each in axis[1:]])
    plain = getattr(axis, "id", getattr(axis, "value", axis))
    return Fraction(sizes[plain] if plain in sizes else NUMBER.fullmatch(str(plain))[0])


def read(said: object, kind: str = "", runs: list | None = None) -> list:
    """Read what a file says, as text or as data: its numbers in order (of a set: sorted), or words that are picked."""
    if kind == "multi":
        return sorted(re.findall(r"\w+", str(said)))
    if kind == "shape_sym":
        axes = ast.parse(said, mode="eval").body.elts if isinstance(said, str) else said
        return [value(axis, sizes) for sizes in runs for axis in axes]
    need(not kind or re.fullmatch(r"(none|\W)*", NUMBER.sub("", str(said))), f"{said} is no value")
    numbers = [Fraction({"True": 1, "False": 0}.get(found, found)) for found in NUMBER.findall(str(said))]
    return sorted(numbers) if kind == "set" else numbers


def part_claims(part: dict, route: dict, ways: list) -> abc.Iterator[tuple]:
    """Yield what key, options, slips and certificate say of a part: a sentence, what is said, what is so, a slack."""
    answer, plain = part["answer"], part["answer"].get("of", part["answer"])
    kind, name = plain["kind"], next(name for name in ("axes", "value", "items", "rows", "words") if name in plain)
    letters, rounded = [sizes for sizes, *_ in ways], Fraction("places" in plain, 2 * 10 ** plain.get("places", 0))
    own = [number for sizes, truth, _ in ways for number in read(truth[part["id"]], kind, [sizes])]
    yield "the key says {}, running gives {}", read(plain[name], kind, letters), own
    shown, options = read(route["formula"], kind, letters), answer.get("options", plain.get("among", []))
    yield "the formula shows {}, running gives {}", shown, own, rounded
    for slip in part["slips"]:
        wrong = read(slip["answer"].get("of", slip["answer"])[name], kind, letters)
        yield f"the slip {slip['id']} gives {{}}", ["the key"] * (wrong in (own, shown)), []
    if "of" in answer:
        yield "of {} options, {} differ", [len(options)], [len({str(read(each, kind, letters)) for each in options})]
        right = [option for option in options if read(option, kind, letters) in (own, shown)]
        yield "marked as right is {}, running gives {}", [answer["word"]], right
    if kind != "multi":
        runs = [run["shape"] for run in route["observed"]] if kind == "shape_sym" else [route["observed"]]
        yield "the run observed {}, running gives {}", read(runs), own[: len(own) * len(runs) // len(ways)], 1e-12
        digits = [Fraction(f"{float(number):.10g}") for number in read(route["observed"])]
        yield "the run gave {}, but observed {}", sorted(read(route["run"])), sorted(digits)
        printed = read(re.sub(r"(dtype|size)=[^)]*", "", route["printed"]))
        yield "the run printed {}, running gives {}", printed, own[: len(own) // len(ways)], 5e-5
        for option, label in zip(options, part.get("labels", []), strict=False):
            yield "the option {} is labelled {}", [str(option)], re.findall(r'⟦\[".*?","(.*?)"', label)[:1]


def claims(document: dict) -> abc.Iterator[tuple]:
    """Yield all that an export says: where, a sentence, what is said, what is so, a slack."""
    for p, paper in enumerate(document["papers"], 1):
        for q, item in enumerate(paper["items"], 1):
            where, variant, given = f"paper {p}, question {q}", item["variant"], item["variant"]["given"]
            yield where, "{} is too large", [n for n in [*read(given), 1000 * given.get("T", 0)] if abs(n) > 10**6], []
            runs = variant["certificate"]["replay"]["runs"] + DRAWN if "letters" in given else [given]
            ways = [(sizes, *derive(variant["family"], sizes)) for sizes in runs]
            for part in variant["parts"]:
                place, route = f"{where}, part {part['id']}", variant["certificate"]["routes"][part["id"]]
                yield from ((place, *claim) for claim in part_claims(part, route, ways))
                share = Fraction(item["points"]) * part["points"] / sum(each["points"] for each in variant["parts"])
                yield place, "its points are {}, not {}", [Fraction(item["part_points"][part["id"]])], [share]
            words = "".join(text for at, text in variant["words"].items() if at.startswith(("title", "stem", "ask_")))
            in_code = [IN_CODE.get(part["id"], "") for part in variant["parts"]]
            shown, told = Counter(), Counter(ENTRY.findall(str(in_code if "letters" in given else ways[0][2])))
            for kind, said, *letter in map(json.loads, re.findall(r"⟦(\[.*?\])⟧", words)):
                if kind in ("num", "named") and letter[0]:
                    yield where, f"the words say {letter[0]} = {{}}, not {{}}", [said], [str(given[letter[0]])]
                shown.update((ENTRY if kind in ("strip", "table") else NUMBER).findall(str(said)))
            yield where, "the words leave out {} and add {}", sorted(told - shown), sorted(shown - told)
        points = sum(Fraction(item["points"]) for item in paper["items"])
        yield f"paper {p}", "its points are {}, not {}", read(paper["points"]), [points]
    said = document.pop("sha256")
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    yield "the whole file", "its SHA-256 is {}, not {}", [said], [hashlib.sha256(text.encode()).hexdigest()]


def check(path: str) -> int:
    """Print one line on a file and return its exit code."""
    code, verdict, where, keys = 2, "UNREADABLE", "", 0
    try:
        document = READER.decode(Path(path).read_text("utf-8-sig"))
        need(document["format"] == 2 and document["confirmed"], "not of format 2, or made with --no-confirm")
        code, verdict = 1, "TAMPERED"
        for place, what, said, own, *slack in claims(document):
            where, keys = f"{place}: ", keys + what.startswith("the key says")
            close = any(slack) and len(said) == len(own) and max(map(abs, map(sub, said, own)), default=0) <= slack[0]
            need(said == own or close, what.format(*(f"({', '.join(map(str, side))})" for side in (said, own))))
        code, verdict, found = 0, "ok", f"{keys} keys"
    except Exception as problem:
        found = f"{where}{problem if isinstance(problem, ValueError) else repr(problem)}"
    print(f"{verdict} {path}  {found}")
    return code


if __name__ == "__main__":
    torch.set_num_threads(1)
    sys.exit(max(map(check, sys.argv[1:])) if set(sys.argv[1:]) - {"--help"} else print(__doc__))
