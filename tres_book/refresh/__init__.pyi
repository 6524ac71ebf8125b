from .benchmark import (
    Replay as Replay,
    compare_refresh as compare_refresh,
    ranking as ranking,
    replay as replay,
    scores as scores,
)
from .changes import (
    ChangeLog as ChangeLog,
    draw_changes as draw_changes,
)
from .histories import (
    load_histories as load_histories,
)
from .learnable import (
    best_test_error as best_test_error,
    logarithmic_gaps as logarithmic_gaps,
    standard_error as standard_error,
)
from .learnt import (
    LearntNcis as LearntNcis,
    Trusting as Trusting,
)
from .schedulers import (
    KNOWING as KNOWING,
    NO_PAGE as NO_PAGE,
    SCHEDULERS as SCHEDULERS,
    GreedyNcis as GreedyNcis,
    HalveAndDouble as HalveAndDouble,
    Paced as Paced,
    Scheduler as Scheduler,
    Task as Task,
)
from .second_order import (
    SECOND_ORDER as SECOND_ORDER,
    small_error_loss as small_error_loss,
)
from .signals import (
    Signals as Signals,
    continuous_optimum as continuous_optimum,
    passage as passage,
)
