"""Pictures of a run: each source's state by epoch, and when it was crawled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..ephemeral.simulate import Run, simulate
from ..ephemeral.sources import source

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def evolution(run: Run, first: int = 0, last: int | None = None) -> Figure:
    """The states of a few sources, one below the other; a dot is a crawl.

    Parameters
    ----------
    run : Run with states
    first, last : int
        Epochs shown; the last one is left out.
    """
    import matplotlib.pyplot as plt

    t = np.arange(len(run.reward))[first:last]
    n = run.states.shape[1]
    fig, axes = plt.subplots(n, 1, figsize=(7.5, 1.1 * n + 0.6), sharex=True, squeeze=False)
    for i, ax in enumerate(axes[:, 0]):
        states = run.states[t, i]
        crawled = (run.crawled[t] == i).any(axis=1)
        ax.plot(t, states, color=f"C{i}", lw=1.2)
        ax.plot(t[crawled], states[crawled], "o", color=f"C{i}", ms=4)
        title = f"source {i + 1}: crawled in {crawled.mean():.0%} of these epochs"
        ax.set_title(title, fontsize="small", fontweight="normal")
        ax.set_ylim(0, 1.1 * max(states.max(), 1e-9))
    axes[-1, 0].set_xlabel("epoch")
    fig.supylabel("state (utility waiting)", fontsize="small")
    return fig


def play(crawls: int = 2, epochs: int = 40, **parameters: float) -> None:
    """Draw the Whittle policy's first epochs for sources made of sliders' values.

    Parameters
    ----------
    crawls, epochs : int
    **parameters : float
        ``utility_1``, ``decay_1``, ``arrivals_1`` and so on, for each source.
    """
    import matplotlib.pyplot as plt

    names = ("utility", "decay", "arrivals")
    columns = [[v for k, v in parameters.items() if k.startswith(name)] for name in names]
    evolution(simulate(source(*columns), crawls, epochs, keep_states=True))
    plt.show()
