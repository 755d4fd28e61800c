"""Small models to train under the watch. As a script: trains one and prints what is left of it, so that a run with the watch can be
compared with one without.

    python watched_jobs.py MODEL [STEPS]
"""

import hashlib
import os
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 32)
        self.layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1)
        self.head = nn.Linear(32, 50)

    def forward(self, tokens):
        return self.head(self.layer(self.embed(tokens)))


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.second = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)

    def forward(self, x):
        y = self.norm2(self.second(F.relu(self.norm(self.first(x)))))
        y += x
        return F.relu(y, inplace=True)


class InPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(16, 16)

    def forward(self, x):
        x = self.inner(x)
        x[:, :8].mul_(1.5)
        x.t().add_(x.t())
        x.sigmoid_()
        x = x + torch.empty_like(x).uniform_().expand(8, 16)
        x = F.leaky_relu(x, 0.1, inplace=True)
        x = x.view(4, 2, 16).transpose(0, 1).reshape(8, 16)
        return F.dropout(x, 0.3) * F.dropout(x, 0.0)


class Checkpointed(nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        self.reentrant = reentrant
        self.inner = nn.Sequential(nn.Linear(16, 32), nn.Dropout(0.2), nn.Tanh(), nn.Linear(32, 16))
        self.first = nn.Linear(16, 16)

    def forward(self, x):
        return checkpoint(self.inner, self.first(x), use_reentrant=self.reentrant)


def _images():
    return torch.randn(6, 3, 12, 12), torch.randint(5, (6,))


def make(name):
    """The model and a function that gives its loss."""
    torch.manual_seed(7)
    if name == "transformer":
        model, tokens = Transformer(), torch.randint(50, (12, 4))
        return model, lambda: F.cross_entropy(model(tokens).flatten(0, 1), tokens.roll(1, 0).flatten())
    if name in ("resnet", "ddp"):
        model = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(inplace=True), Residual(8), nn.MaxPool2d(2), Residual(8),
            nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5),
        )
        if name == "ddp":
            torch.manual_seed(7 + int(os.environ["RANK"]))
            model = nn.parallel.DistributedDataParallel(model)
        images, classes = _images()
        return model, lambda: F.cross_entropy(model(images), classes)
    if name == "lstm":
        model, values = nn.LSTM(10, 12, 2, dropout=0.2), torch.randn(7, 3, 10)
        return model, lambda: model(values)[0].square().mean()
    if name == "in-place":
        model, values = InPlace(), torch.randn(8, 16)
        return model, lambda: model(values).square().mean()
    if name == "autocast":
        model = nn.Sequential(nn.Linear(16, 32), nn.LayerNorm(32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 4))
        values, classes = torch.randn(8, 16), torch.randint(4, (8,))

        def loss():
            with torch.autocast("cpu", torch.bfloat16):
                scores = model(values)
            return F.cross_entropy(scores.float(), classes)

        return model, loss
    if name == "checkpoint-autocast":
        model, values = Checkpointed(False), torch.randn(8, 16)

        def loss():
            with torch.autocast("cpu", torch.bfloat16):
                return model(values).float().square().mean()

        return model, loss
    if name in ("checkpoint", "checkpoint-reentrant"):
        model, values = Checkpointed(name == "checkpoint-reentrant"), torch.randn(8, 16)
        return model, lambda: model(values).square().mean()
    raise ValueError(name)


def train(name, steps=20, after_step=lambda: None):
    """Trains; returns losses, the digest of parameters, gradients and buffers, and the next random numbers."""
    model, loss_of = make(name)
    optimizer = torch.optim.AdamW(model.parameters(), 0.01)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
        after_step()
    digest = hashlib.sha256()
    for parameter in model.parameters():
        digest.update(parameter.detach().numpy().tobytes())
        digest.update(b"none" if parameter.grad is None else parameter.grad.numpy().tobytes())
    for buffer in model.buffers():
        digest.update(buffer.numpy().tobytes())
    return losses, digest.hexdigest(), torch.randn(4).tolist()


if __name__ == "__main__":
    if sys.argv[1] == "ddp":
        torch.distributed.init_process_group("gloo")
    result = train(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20)
    # In one piece: ranks share the terminal.
    os.write(1, f"{result}\n".encode())
    if sys.argv[1] == "ddp":
        torch.distributed.destroy_process_group()
