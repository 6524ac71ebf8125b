from .client import (
    FormSite as FormSite,
)
from .form import (
    serve as serve,
)
from .kernel import (
    estimate_sizes as estimate_sizes,
)
from .kernel import (
    gaussian_kernel as gaussian_kernel,
)
from .kernel import (
    hybrid_kernel as hybrid_kernel,
)
from .kernel import (
    linear_kernel as linear_kernel,
)
from .kernel import (
    q_values as q_values,
)
from .kernel import (
    reward as reward,
)
from .kernel import (
    ridf as ridf,
)
from .learners import (
    AS_PRINTED as AS_PRINTED,
)
from .learners import (
    RL as RL,
)
from .learners import (
    RlSettings as RlSettings,
)
from .policies import (
    POLICIES as POLICIES,
)
from .policies import (
    Policy as Policy,
)
from .records import (
    Part as Part,
)
from .records import (
    ResultPage as ResultPage,
)
from .records import (
    Site as Site,
)
from .site import (
    Hits as Hits,
)
from .site import (
    SearchSite as SearchSite,
)
from .site import (
    load_documents as load_documents,
)
from .site import (
    sample_documents as sample_documents,
)
from .size_estimates import (
    ZipfFit as ZipfFit,
)
from .size_estimates import (
    chao1 as chao1,
)
from .size_estimates import (
    fit_zipf as fit_zipf,
)
from .state import (
    State as State,
)
from .surfacing import (
    Costs as Costs,
)
from .surfacing import (
    SurfacingResult as SurfacingResult,
)
from .surfacing import (
    surface as surface,
)
