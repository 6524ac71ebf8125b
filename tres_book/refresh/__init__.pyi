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
    load_histories as load_histories,
)
from .learnable import (
    SECOND_ORDER as SECOND_ORDER,
    best_test_error as best_test_error,
    logarithmic_gaps as logarithmic_gaps,
    small_error_loss as small_error_loss,
)
from .learnt import (
    LearntNcis as LearntNcis,
    Trusting as Trusting,
)
from .schedulers import (
    NO_PAGE as NO_PAGE,
    SCHEDULERS as SCHEDULERS,
    GreedyNcis as GreedyNcis,
    HalveAndDouble as HalveAndDouble,
    Paced as Paced,
    Scheduler as Scheduler,
    Task as Task,
)
from .signals import (
    Signals as Signals,
    continuous_optimum as continuous_optimum,
)
