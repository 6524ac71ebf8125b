"""Training of KwBiLSTM's network by torch."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from tqdm.auto import tqdm

from tres_webs.extras import optional

from .network import Encoded

with optional("bilstm"):
    import torch
    from torch import nn

SCORING_BATCH = 64
PADDED_TO = 8  # words; few distinct shapes, for the first LSTM call of a shape costs 1 ms more


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


def trained(
    encoded: Encoded,
    labels: np.ndarray,
    vectors: np.ndarray,
    split: tuple[np.ndarray, np.ndarray],
    settings: Any,
    seed: int,
) -> dict[str, np.ndarray]:
    """Train on the first part of a split; return the weights of the least loss on the second.

    Settings are those of `KwBiLSTM`.
    """
    train, held_out = split
    rng = np.random.default_rng(seed)
    with reproducible(seed):
        size, s = (vectors.shape[1], encoded.inputs.shape[1]), settings
        network = BiLstmNetwork(*size, s.hidden, s.head, s.dropout)
        # Not trained, so that words that no training text has still mean something.
        embedding = torch.from_numpy(vectors)
        targets = torch.from_numpy(labels.astype(np.float32))
        optimizer = torch.optim.Adam(network.parameters(), lr=settings.learning_rate)
        odds = (~labels[train]).sum() / labels[train].sum()
        weight = torch.tensor(float(odds**settings.positive_power))
        loss = nn.BCEWithLogitsLoss(pos_weight=weight)
        best = network.state_dict()
        best_loss = np.inf
        waited = 0
        with tqdm(range(settings.max_epochs), desc="KwBiLSTM", unit="epoch") as epochs:
            for _ in epochs:
                for batch in _batches(encoded, train, settings.batch_size, rng):
                    optimizer.zero_grad()
                    loss(_forward(network, embedding, encoded, batch), targets[batch]).backward()
                    nn.utils.clip_grad_norm_(network.parameters(), 1.0)
                    optimizer.step()
                logits = _logits(network.eval(), embedding, encoded, held_out)
                network.train()
                validated = float(loss(logits, targets[held_out]))
                epochs.set_postfix(validation_loss=validated)
                waited += 1
                if validated < best_loss:
                    best = {name: value.clone() for name, value in network.state_dict().items()}
                    best_loss = validated
                    waited = 0
                if waited >= settings.patience:
                    break
        return {name: value.numpy() for name, value in best.items()}


def _batches(
    encoded: Encoded, rows: np.ndarray, size: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Yield rows in random batches of texts of similar length, mixed by a little noise."""
    lengths = np.array([len(encoded.ids[i]) for i in rows])
    order = np.argsort(lengths * rng.uniform(0.9, 1.1, len(rows)) + rng.random(len(rows)))
    for start in rng.permutation(np.arange(0, len(rows), size)):
        yield rows[order[start : start + size]]


@torch.inference_mode()
def _logits(
    network: BiLstmNetwork, embedding: torch.Tensor, encoded: Encoded, rows: np.ndarray
) -> torch.Tensor:
    """Return the logits of some rows, computed shortest first so that padding is cheap."""
    order = np.argsort([len(encoded.ids[i]) for i in rows], kind="stable")
    logits = torch.empty(len(rows))
    for start in range(0, len(rows), SCORING_BATCH):
        batch = order[start : start + SCORING_BATCH]
        logits[batch] = _forward(network, embedding, encoded, rows[batch])
    return logits


def _forward(
    network: BiLstmNetwork, embedding: torch.Tensor, encoded: Encoded, rows: np.ndarray
) -> torch.Tensor:
    lengths = np.array([len(encoded.ids[i]) for i in rows])
    steps = PADDED_TO * max(1, -(-lengths.max() // PADDED_TO))
    ids = np.zeros((len(rows), steps), dtype=np.int64)
    for row, i in enumerate(rows):
        ids[row, : lengths[row]] = encoded.ids[i]
    words = embedding[torch.from_numpy(ids)]
    inputs = torch.from_numpy(encoded.inputs[rows])
    return network(words, torch.from_numpy(lengths), inputs)
