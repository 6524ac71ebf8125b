from . import (
    plan as plan,
    real_sites as real_sites,
    record as record,
    stored as stored,
    tables as tables,
    timing as timing,
    trial as trial,
    variants as variants,
)
