"""The network of KwBiLSTM, and reproducible runs of torch."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...extras import extra

with extra("bilstm"):
    import torch
    from torch import nn


class BiLstmNetwork(nn.Module):
    """Bidirectional LSTM, mean pooled, joined with further inputs, and a dense head."""

    def __init__(self, dimensions: int, n_inputs: int, hidden: int, head: int, dropout: float):
        super().__init__()
        # Two one-way LSTMs, the second over the reversed words: padding then always comes
        # last, and no packing is needed (which is three times slower on a CPU).
        self.onward = nn.LSTM(dimensions, hidden, batch_first=True)
        self.homeward = nn.LSTM(dimensions, hidden, batch_first=True)
        self.dense = nn.Sequential(
            nn.Dropout(dropout),
            nn.Linear(2 * hidden + n_inputs, head),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(head, 1),
        )

    def forward(
        self, words: torch.Tensor, lengths: torch.Tensor, inputs: torch.Tensor
    ) -> torch.Tensor:
        """Return logits (batch,) of words (batch, time, dimensions), lengths and inputs."""
        steps = torch.arange(words.shape[1])
        mask = (steps < lengths[:, None]).unsqueeze(-1)
        turned = (lengths[:, None] - 1 - steps).clamp(min=0).unsqueeze(-1).expand_as(words)
        both = self.onward(words)[0], self.homeward(words.gather(1, turned))[0]
        states = torch.cat(both, dim=-1)
        pooled = (states * mask).sum(dim=1) / lengths.clamp(min=1)[:, None]
        return self.dense(torch.cat([pooled, inputs], dim=1)).squeeze(1)


@contextmanager
def reproducible(seed: int) -> Iterator[None]:
    """Run torch seeded, deterministic and on one thread; restore its former state afterwards."""
    threads = torch.get_num_threads()
    checked = torch.are_deterministic_algorithms_enabled()
    memory: Any = torch.utils.deterministic
    filled = memory.fill_uninitialized_memory
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)  # more are slower on short texts, and change the last digits
        torch.use_deterministic_algorithms(True)
        # Without this every new tensor is filled first, in a tenth of the training time.
        memory.fill_uninitialized_memory = False
        try:
            yield
        finally:
            torch.set_num_threads(threads)
            torch.use_deterministic_algorithms(checked)
            memory.fill_uninitialized_memory = filled
