from . import (
    comparison as comparison,
    real_sites as real_sites,
    record as record,
    stored as stored,
    trial as trial,
    variants as variants,
)
