# ruff: noqa: N803  sizes are named by the letters of the lesson
"""The lesson's model, with its sizes as parameters.

Everything that Maskwise claims about shapes, counts and losses is claimed about this model; so it stays short, and it
stays the lesson's: the same modules in the same order, so that the same seed draws the same weights.
"""

from __future__ import annotations

from typing import cast

import torch
from torch import Tensor, nn


class TinyMaskedModel(nn.Module):
    """A masked-token model without causal mask: ids (B, T) in, scores over the vocabulary (B, T, V) out.

    V ids, at most L positions, width D, H heads, feed-forward width F, N layers. The defaults are the lesson's. H must
    divide D (an AssertionError of PyTorch says so), and T may not exceed L (an IndexError at the position table).
    """

    def __init__(
        self, V: int, L: int, D: int = 12, *, H: int = 3, F: int = 24, N: int = 2, batch_first: bool = True
    ) -> None:
        super().__init__()
        self.token_embedding = nn.Embedding(V, D)
        self.position_embedding = nn.Embedding(L, D)
        layer = nn.TransformerEncoderLayer(
            d_model=D,
            nhead=H,
            dim_feedforward=F,
            dropout=0.0,
            batch_first=batch_first,
        )
        self.encoder = nn.TransformerEncoder(layer, num_layers=N)
        self.language_head = nn.Linear(D, V)

    def forward(self, ids: Tensor) -> Tensor:
        """Score every vocabulary id at every position: (B, T) -> (B, T, V)."""
        positions = torch.arange(ids.shape[1], device=ids.device)
        x = self.token_embedding(ids)
        x = x + self.position_embedding(positions)
        encoded = self.encoder(x)
        return cast("Tensor", self.language_head(encoded))
