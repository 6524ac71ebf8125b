"""Draw docs/front.png, the picture of the README and the front page, from stored crawls.

python docs/front.py        # after new runs in results/
"""

from pathlib import Path

from tres_book import figures, study
from tres_book.chapters import c05_comparison as chapter

if __name__ == "__main__":
    study.plots.use_style()
    free = chapter.ends().query("limit == 'none'")
    grid = figures.leads(chapter.over_rivals(free))
    grid.savefig(Path(__file__).with_name("front.png"), dpi=110)
