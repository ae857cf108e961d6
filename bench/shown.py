"""How every benchmark shows its figures: one Markdown table, in which a missed target is called missed."""


def table(head, rows):
    """Print a Markdown table with columns as wide as their cells."""
    cells = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(head))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    print("\n".join(lines))


def verdict(value, limit):
    """Say whether a figure is within its limit, and by how much it is not."""
    if value <= limit:
        return "yes"
    return f"**no**, {value / limit - 1:.0%} over" if limit else "**no**"
