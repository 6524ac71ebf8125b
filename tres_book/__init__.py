"""The book: what its chapters run, store, judge and print.

It rests on `tres_lib` and `tres_live`; neither of them knows of it.
"""
