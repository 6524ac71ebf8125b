import tres_webs.forms.answers
import tres_webs.forms.client
import tres_webs.forms.form

from .kernel import (
    estimate_sizes as estimate_sizes,
    gaussian_kernel as gaussian_kernel,
    hybrid_kernel as hybrid_kernel,
    linear_kernel as linear_kernel,
    q_values as q_values,
    reward as reward,
    ridf as ridf,
)
from .learners import (
    AS_PRINTED as AS_PRINTED,
    RL as RL,
    RlSettings as RlSettings,
)
from .policies import (
    POLICIES as POLICIES,
    Policy as Policy,
    ZipfFit as ZipfFit,
    chao1 as chao1,
    fit_zipf as fit_zipf,
)
from .site import (
    Hits as Hits,
    SearchSite as SearchSite,
)
from .state import (
    State as State,
)
from .surfacing import (
    Costs as Costs,
    SurfacingResult as SurfacingResult,
    surface as surface,
)

FormSite = tres_webs.forms.client.FormSite
serve = tres_webs.forms.form.serve
Part = tres_webs.forms.answers.Part
ResultPage = tres_webs.forms.answers.ResultPage
Site = tres_webs.forms.answers.Site
