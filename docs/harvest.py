"""Draw docs/harvest.png, the README's picture, from the crawls of chapter 04 at default scale.

python docs/harvest.py        # after `make reproduce`, whose cached crawls it takes
"""

from pathlib import Path

import matplotlib.pyplot as plt
import yaml

from tres_lib import focused, study

HERE = Path(__file__).resolve().parent
POLICIES = ("tres", "tree-random", "best-first", "bfs", "random", "oracle")


def main() -> None:
    p = yaml.safe_load((HERE.parent / "params" / "default.yaml").read_text())["04-tres-crawl"]
    common = {key: p[key] for key in ("budget", "sites", "epochs")}
    runs = [(n, s, q) for n in p["names"] for s in range(p["web_seeds"]) for q in POLICIES]
    settings = [
        {"policy": q, "topic": n, "web_seed": s, "limit": "none", **common} for n, s, q in runs
    ]
    curves = focused.over_time(study.run_sweep(focused.trial, settings))
    study.plots.use_style()
    figure, axes = plt.subplots(1, 3, figsize=(13, 4), sharey=True)
    for name, ax in zip(p["names"], axes, strict=True):
        of_topic = curves[curves["topic"] == name]
        study.plots.line_with_band(of_topic, "step", "harvest rate", ax=ax)
        ax.set(title=name, ylim=(0, 1))
        ax.get_legend().remove()
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, ncol=6, loc="outside lower center")
    figure.savefig(HERE / "harvest.png", dpi=110)


if __name__ == "__main__":
    main()
