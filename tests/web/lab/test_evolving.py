"""EvolvingWeb: a page is a function of (seed, URL, time), and what happens follows its law."""

import numpy as np
import pytest

from tres_lib import watching, web


def test_each_parameter_has_a_source_and_agrees_with_the_simulated_world():
    sources = web.EvolvingLaw.sources()
    assert all(source for _, source in sources.values())
    assert sources["end_rate"][0] == pytest.approx(-np.log(0.92) / 7, rel=0.01)
    simulated = watching.Parameters.sources()
    shared = sources.keys() & simulated.keys()
    assert len(shared) >= 13
    assert {k: sources[k][0] for k in shared} == {k: simulated[k][0] for k in shared}
