"""The lesson's own code, typed as it stands in the lesson, beside the model that Maskwise runs."""

import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # at import PyTorch says that numpy is not there
    import torch

from torch import nn

from grader.runner.tiny_model import TinyMaskedModel

pytestmark = pytest.mark.torch


class LessonModel(nn.Module):
    def __init__(self, vocabulary_size, maximum_length, model_size=12):
        super().__init__()
        self.token_embedding = nn.Embedding(vocabulary_size, model_size)
        self.position_embedding = nn.Embedding(maximum_length, model_size)
        layer = nn.TransformerEncoderLayer(
            d_model=model_size,
            nhead=3,
            dim_feedforward=24,
            dropout=0.0,
            batch_first=True,
        )
        self.encoder = nn.TransformerEncoder(layer, num_layers=2)
        self.language_head = nn.Linear(model_size, vocabulary_size)

    def forward(self, token_ids):
        length = token_ids.shape[1]
        positions = torch.arange(length, device=token_ids.device)
        x = self.token_embedding(token_ids)
        x = x + self.position_embedding(positions)
        encoded = self.encoder(x)
        return self.language_head(encoded)


MASK_ID = 5
INPUTS = torch.tensor([[0, 1, MASK_ID, 3, 4]], dtype=torch.long)


def lesson():
    torch.manual_seed(12)
    return LessonModel(vocabulary_size=6, maximum_length=5)


def ours():
    torch.manual_seed(12)
    return TinyMaskedModel(V=6, L=5)


@pytest.mark.parametrize("make", [lesson, ours])
def test_the_lessons_numbers(make):
    model = make()
    logits = model(INPUTS)
    masked_logits = logits[:, 2, :]
    loss = nn.functional.cross_entropy(masked_logits, torch.tensor([2]))
    loss.backward()
    assert tuple(INPUTS.shape) == (1, 5)
    assert tuple(logits.shape) == (1, 5, 6)
    assert tuple(masked_logits.shape) == (1, 6)
    assert loss.ndim == 0
    assert f"{loss.item():.4f}" == "2.3666"
    assert sum(parameter.numel() for parameter in model.parameters()) == 2778
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_same_modules_same_weights_same_scores():
    theirs, mine = lesson(), ours()
    assert [(name, type(module)) for name, module in theirs.named_modules()][1:] == [
        (name, type(module)) for name, module in mine.named_modules()
    ][1:]
    weights = mine.state_dict()
    assert list(weights) == list(theirs.state_dict())
    assert all(torch.equal(value, weights[name]) for name, value in theirs.state_dict().items())
    assert torch.equal(theirs(INPUTS), mine(INPUTS))


def test_sizes_are_parameters():
    model = TinyMaskedModel(V=11, L=9, D=8, H=2, F=5, N=3)
    assert model(torch.zeros(2, 4, dtype=torch.long)).shape == (2, 4, 11)
    assert model.position_embedding.weight.shape == (9, 8)
    assert len(model.encoder.layers) == 3
    assert model.encoder.layers[0].self_attn.num_heads == 2
    assert model.encoder.layers[0].linear1.out_features == 5


def test_batch_first_can_be_forgotten():
    torch.manual_seed(12)
    forgotten = TinyMaskedModel(V=6, L=5, batch_first=False)
    loss = nn.functional.cross_entropy(forgotten(INPUTS)[:, 2, :], torch.tensor([2]))
    assert f"{loss.item():.4f}" == "2.3451"


def test_every_position_sees_both_sides():
    model = ours().double()
    x = torch.randn(1, 5, 12, dtype=torch.float64, requires_grad=True)
    model.encoder(x)[0, 2].square().sum().backward()
    assert (x.grad.abs().amax(-1) > 1e-12).all()


def test_classification_head_of_the_lesson():
    class_logits = nn.Linear(12, 3)(torch.randn(4, 12))
    assert tuple(class_logits.shape) == (4, 3)
    assert nn.functional.cross_entropy(class_logits, torch.tensor([0, 2, 1, 0])).ndim == 0
