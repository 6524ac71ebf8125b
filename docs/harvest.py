"""Draw docs/harvest.png, the README's picture, from stored crawls on webs of the second law.

python docs/harvest.py        # after new runs in results/
"""

from pathlib import Path

import seaborn as sns

from tres_book import crawls, study
from tres_book.chapters.c05_verdicts import SECOND

POLICIES = (
    "tres",
    "async",
    "seedfinder",
    "ache",
    "best-first",
    "linear",
    "prospector",
)


def main() -> None:
    """Draw the curves of the crawls that are stored."""
    curves = crawls.stored.curves(*SECOND.free)
    curves = curves[curves["policy"].isin(POLICIES)]
    study.plots.use_style()
    paint = study.plots.colours(POLICIES)
    by = {"x": "step", "y": "true harvest rate", "hue": "policy", "palette": paint}
    band = {"errorbar": study.plots.share, "err_kws": {"lw": 0, "alpha": 0.1}}
    grid = sns.relplot(curves, kind="line", **by, **band, col="topic", height=4)
    grid.set(ylim=(0, 1), xticks=[0, 10_000, 20_000]).set_titles("{col_name}")
    sns.move_legend(grid, "upper center", bbox_to_anchor=(0.5, 0), ncol=len(POLICIES), title=None)
    grid.savefig(Path(__file__).with_name("harvest.png"), dpi=110)


if __name__ == "__main__":
    main()
