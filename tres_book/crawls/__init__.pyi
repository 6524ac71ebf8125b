from . import (
    real_sites as real_sites,
    record as record,
    stored as stored,
    tables as tables,
    trial as trial,
    variants as variants,
)
