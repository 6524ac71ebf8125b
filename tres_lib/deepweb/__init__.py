"""Which query next: surfacing a database that can only be searched."""

from __future__ import annotations

from ..lazy import on_use
from .estimates import ZipfFit, chao1, fit_zipf
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
from .site import Hits, SearchSite, load_documents, sample_documents
from .state import State
from .surfacing import Costs, surface

_ON_USE = {"FormSite": "client", "serve": "form"}  # these load requests, lxml and jinja2

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
    "hybrid_kernel",
    "linear_kernel",
    "load_documents",
    "q_values",
    "reward",
    "ridf",
    "sample_documents",
    "surface",
    *_ON_USE,
]

__getattr__ = on_use(__name__, _ON_USE)
