"""Draw docs/harvest.png, the README's picture, from the long crawls of chapter 05 at default scale.

python docs/harvest.py        # after `make reproduce`, whose cached crawls it takes
"""

from pathlib import Path

import seaborn as sns
import yaml

from tres_lib import study
from tres_lib.experiments import tres as trials
from tres_lib.experiments import tres_tables

HERE = Path(__file__).resolve().parent
POLICIES = ("tres", "best-first", "linear")


def main() -> None:
    """Run the crawls, or take them from the cache, and draw them."""
    chapters = yaml.safe_load((HERE.parent / "params" / "default.yaml").read_text())
    p = chapters["05-crawler-comparison"]
    common = {"web_seed": 0, "limit": "none", "budget": p["long_budget"]}
    common |= {key: p[key] for key in ("sites", "epochs")}
    runs = [(name, policy) for name in p["long_names"] for policy in POLICIES]
    settings = [{"policy": policy, "topic": name, **common} for name, policy in runs]
    curves = tres_tables.over_time(study.run_sweep(trials.trial, settings))
    study.plots.use_style()
    by = {"x": "step", "y": "true harvest rate", "hue": "policy", "col": "topic"}
    paint = study.plots.colours(POLICIES)
    grid = sns.relplot(curves, kind="line", **by, palette=paint, height=4)
    grid.set(ylim=(0, 1)).set_titles("{col_name}")
    sns.move_legend(grid, "upper center", bbox_to_anchor=(0.5, 0), ncol=len(POLICIES), title=None)
    grid.savefig(HERE / "harvest.png", dpi=110)


if __name__ == "__main__":
    main()
