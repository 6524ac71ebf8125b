"""Which query next: surfacing a database that can only be searched."""

from ..lazy import attach

_HOMES = {  # names by the module that defines them; a module loads when a name is used
    ".client": "FormSite",
    ".form": "serve",
    ".kernel": "estimate_sizes gaussian_kernel hybrid_kernel linear_kernel q_values reward ridf",
    ".learners": "AS_PRINTED RL RlSettings",
    ".policies": "POLICIES Policy",
    ".records": "Part ResultPage Site",
    ".site": "Hits SearchSite load_documents sample_documents",
    ".size_estimates": "ZipfFit chao1 fit_zipf",
    ".state": "State",
    ".surfacing": "Costs SurfacingResult surface",
}
__getattr__, __dir__, __all__ = attach(__name__, _HOMES)
