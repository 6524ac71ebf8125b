import tres_book.intervals
import tres_book.plots

from .claims import Claims as Claims, open as open
from .runs import run_sweep as run_sweep
from .workspace import provenance as provenance

plots = tres_book.plots
PER_CENT = tres_book.intervals.PER_CENT
best_of = tres_book.intervals.best_of
interval_table = tres_book.intervals.interval_table
mean_interval = tres_book.intervals.mean_interval
paired = tres_book.intervals.paired
summarise = tres_book.intervals.summarise
