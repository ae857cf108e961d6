"""Words that stand in front of a list and say nothing about it: ``labels = ...``, ``positions 2 and 4``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from grader.reading.outcomes import Context

# Names of variables are labels before a sign only; words for what is listed, before a number or bracket too.
_NAMES = (
    "inputs?|labels?|targets?|tgt|sel|visible|leaked|allowed|blind|where|sees|fix|weights?|naive_weights?|dims|widths?|"
    "mean|match|reads?|kpm|(?:src_|attention_|key_|src_key_)?(?:padding_)?mask|scored|first|vector|input_ids|token_ids|x"
)
_NOUNS = (
    "positions?|pos\\.?|places?|ids?|tokens?|indices|indexes|index|idx|entries|entry|pairs?|numbers?|items?|values?|"
    "heads?|head counts?|rows?|sequence|seq|result|output|out|answer"
)
_WHICH = "(?:(?:visible|leaked|scored|allowed|masked) (?=positions?|places?))?"
_LISTS = "list|set|tensor|array|tuple"  # in front of a round bracket they are calls
_LABEL = re.compile(
    rf"(?:the )?{_WHICH}(?:(?:{_NAMES}|{_NOUNS}|{_LISTS})(?:\[\d\])?(?: (?:is|are))? ?(?:==|=|:)"
    rf"|(?:{_NOUNS})(?: (?:is|are|of))?(?= ?[-+\d(\[{{<])|(?:{_LISTS})(?: of)?(?= ?[-+\d\[{{<]))[ \n]*",
    re.IGNORECASE,
)
_FROM = re.compile(r"^from (?=\d+ (?:to|through|until) )", re.IGNORECASE)
_NAME = re.compile(r"(?:the )?(\w+)", re.IGNORECASE)


def without_label(text: str, context: Context) -> str:
    """Strip a label from the front; a letter or an option of the question is none."""
    text = _FROM.sub("", text)
    label = _LABEL.match(text)
    if label is None:
        return text
    name = _NAME.match(text)
    taken = (*context.letters, *context.options)
    return text if name is not None and name[1] in taken else text[label.end() :]
