"""SeedFinder's terms by hand; golden logs hold the rest."""

from tres_lib.focused.baselines.seedfinder import QueryTerms


def test_terms_by_hand():
    terms = QueryTerms()
    terms.learn("apple apple tree the of 1984 ab", True)  # apple 2/3, tree 1/3
    terms.learn("tree stone stone stone", False)  # tree 1/3 - 1/4, stone -3/4
    assert terms.choose(1) == ("apple",)
    terms.learn("pear apple tree, cherry", True)  # apple 11/12, tree 1/3, pear and cherry 1/4
    assert terms.choose(2) == ("apple", "tree")
    terms.weigh(("apple",), 0.25)  # 11/48
    terms.weigh(("tree",), 0.5)  # 1/6
    assert terms.choose(2) == ("cherry", "pear")  # the best is new as well
    assert terms.choose(1) == ()  # stone is below zero, the others were used
    terms.learn("plum plum stone stone stone stone", True)  # plum 1/3, stone 2/3 - 3/4
    assert terms.choose(5) == ("plum", "cherry", "pear", "apple")  # after them nothing is new
    assert terms.choose(5) == ()
