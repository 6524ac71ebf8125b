from . import plan as plan
from . import ranking as ranking
from . import tables as tables
from . import trial as trial
