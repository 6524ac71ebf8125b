"""The sliders that three chapters show in JupyterLab draw anew what they are moved to."""

import json

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot as plt

from tres_book.study import workspace

ipywidgets = pytest.importorskip("ipywidgets")
pytestmark = pytest.mark.slow

# By notebook the line with which each cell begins that the sliders need, and each slider's move.
CHAPTERS = {
    "09-refresh-scheduling": (
        ["import", "seed =", "def best_rates"],
        {"looks": 2.0, "kind": "uniform"},
    ),
    "10-whittle-index": (
        ["import", "seed =", "def play", "import ipywidgets"],
        {"crawls": 1, "epochs": 60, "utility_4": 0.5, "decay_1": 1.5, "arrivals_2": 20.0},
    ),
    "15-one-crawler": (
        ["import", "seed =", "claims =", "def due"],
        {"change_rate": 0.5, "price": 3.0},
    ),
}


def run(name):
    """Run the cells of a notebook that lead to its sliders, as JupyterLab does with them."""
    text = (workspace.root() / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8")
    cells = ["".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "code"]
    space = {"display": print}
    for start in CHAPTERS[name][0]:
        code = next(cell for cell in cells if cell.startswith(start))
        exec(code.replace("interactive = False", "interactive = True"), space)


def drawn():
    """Return the lines' data of the latest figure."""
    return np.concatenate([line.get_xydata() for ax in plt.gcf().axes for line in ax.get_lines()])


@pytest.mark.parametrize("name", CHAPTERS)
def test_a_moved_slider_draws_anew(name, monkeypatch):
    shown = []
    monkeypatch.setattr(ipywidgets.interaction, "display", shown.append)
    with matplotlib.rc_context():
        run(name)
    (panel,) = (widget for widget in shown if isinstance(widget, ipywidgets.interactive))
    sliders = {child.description: child for child in panel.kwargs_widgets}
    panel.update()  # as when it is shown
    before = drawn()
    for slider, value in CHAPTERS[name][1].items():
        plt.close("all")
        sliders[slider].value = value
        assert sliders[slider].value == value and plt.get_fignums()
        after = drawn()
        assert after.shape != before.shape or not np.allclose(after, before, equal_nan=True)
        before = after
    plt.close("all")
