from . import (
    log as log,
    plan as plan,
    record as record,
    stored as stored,
    tables as tables,
    timing as timing,
    trial as trial,
)
