"""Why a crawl fetched a page: its policy's reasons, as a sentence and as a table."""

from dataclasses import dataclass
from html import escape

import pandas as pd

from .policy import Policy, as_policy

SPOKEN = 2  # reasons on each side that the sentence names


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why a page was fetched."""

    text: str  # a sentence or two
    table: pd.DataFrame  # all reasons, the weightiest first: feature, evidence (in words), effect

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.text)}</p>{self.table.head(10).round(2).to_html(index=False)}"


def explain(log: pd.DataFrame, policy: Policy | None, name: str, url: str) -> Explanation:
    """Return why a crawl by the policy of that name fetched a page; see `CrawlResult.explain`."""
    rows = log[(log["url"] == url) | (log["final_url"] == url)]
    if rows.empty:
        raise ValueError(f"url={url!r}: this crawl did not fetch it; log.url lists what it did")
    row = rows.iloc[0]
    if row["step"] == 0:
        raise ValueError(f"url={url!r}: a seed, which no policy chose")
    table = None if policy is None else as_policy(policy).explain(row)
    if table is None:
        raise ValueError(
            f"url={url!r}: policy {name!r} gives no reasons, or the crawl was read from a file; "
            "crawl with 'prospector' or 'best-first' and ask the result itself"
        )
    links = f"{row['frontier']:,} links in the frontier"
    sentences = [f"Step {row['step']}: the best of {links}, estimated at {row['q']:.2f}."]
    for word, side in (("For", table["effect"] > 0), ("Against", table["effect"] < 0)):
        said = table.loc[side, "evidence"].head(SPOKEN)
        if len(said):
            sentences.append(f"{word} it: {'; '.join(said)}.")
    return Explanation(" ".join(sentences), table)
