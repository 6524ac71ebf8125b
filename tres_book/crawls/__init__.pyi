from . import (
    plan as plan,
    record as record,
    stored as stored,
    tables as tables,
    timing as timing,
    trial as trial,
    variants as variants,
    worlds as worlds,
)
