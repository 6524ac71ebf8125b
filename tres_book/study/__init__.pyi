import tres_lib.intervals
import tres_lib.plots

from .claims import Claims as Claims, open as open
from .profiles import (
    interquartile_means as interquartile_means,
    performance_profiles as performance_profiles,
)
from .runs import run_sweep as run_sweep
from .workspace import provenance as provenance

plots = tres_lib.plots
PER_CENT = tres_lib.intervals.PER_CENT
best_of = tres_lib.intervals.best_of
interval_table = tres_lib.intervals.interval_table
mean_interval = tres_lib.intervals.mean_interval
paired = tres_lib.intervals.paired
summarise = tres_lib.intervals.summarise
