from . import plan as plan, ranking as ranking, tables as tables, trial as trial
