from .index import (
    crossing_age as crossing_age,
    hub_index as hub_index,
    link_index as link_index,
    page_value as page_value,
    refresh_index as refresh_index,
)
