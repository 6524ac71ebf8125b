"""Which query next: surfacing a database that can only be searched."""

from __future__ import annotations

from ..lazy import on_use
from .costs import Costs
from .kernel import (
    estimate_sizes,
    gaussian_kernel,
    hybrid_kernel,
    linear_kernel,
    q_values,
    reward,
    ridf,
)
from .learners import AS_PRINTED, RL, RlSettings
from .policies import POLICIES, Policy
from .records import Part, ResultPage, Site
from .result import SurfacingResult
from .site import Hits, SearchSite
from .state import State
from .stopping import chao1, good_turing
from .surfacing import surface
from .zipf import ZipfFit, fit_zipf

_ON_USE = {  # these load requests and lxml, the articles, or what only notebooks need
    "FormSite": "client",
    "serve": "form",
    "load_documents": "documents",
    "sample_documents": "documents",
}

__all__ = [
    "AS_PRINTED",
    "POLICIES",
    "RL",
    "Costs",
    "Hits",
    "Part",
    "Policy",
    "ResultPage",
    "RlSettings",
    "SearchSite",
    "Site",
    "State",
    "SurfacingResult",
    "ZipfFit",
    "chao1",
    "estimate_sizes",
    "fit_zipf",
    "gaussian_kernel",
    "good_turing",
    "hybrid_kernel",
    "linear_kernel",
    "q_values",
    "reward",
    "ridf",
    "surface",
    *_ON_USE,
]

__getattr__ = on_use(__name__, _ON_USE)
