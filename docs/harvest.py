"""Draw docs/harvest.png, the README's picture, from the long crawls of chapter 05 at default scale.

python docs/harvest.py        # after `make reproduce`, whose cached crawls it takes
"""

from pathlib import Path

import matplotlib.pyplot as plt
import yaml

from tres_lib import experiments, study

HERE = Path(__file__).resolve().parent
POLICIES = ("tres", "best-first", "linear")


def main() -> None:
    chapters = yaml.safe_load((HERE.parent / "params" / "default.yaml").read_text())
    p = chapters["05-crawler-comparison"]
    common = {"web_seed": 0, "limit": "none", "budget": p["long_budget"]}
    common |= {key: p[key] for key in ("sites", "epochs")}
    runs = [(name, policy) for name in p["long_names"] for policy in POLICIES]
    settings = [{"policy": policy, "topic": name, **common} for name, policy in runs]
    curves = experiments.tres_tables.over_time(study.run_sweep(experiments.tres.trial, settings))
    study.plots.use_style()
    figure, axes = plt.subplots(1, len(p["long_names"]), figsize=(13, 4), sharey=True)
    for name, ax in zip(p["long_names"], axes, strict=True):
        of_topic = curves[curves["topic"] == name]
        study.plots.line_with_band(of_topic, "step", "true harvest rate", ax=ax)
        ax.set(title=name, ylim=(0, 1))
        ax.get_legend().remove()
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, ncol=len(labels), loc="outside lower center")
    figure.savefig(HERE / "harvest.png", dpi=110)


if __name__ == "__main__":
    main()
