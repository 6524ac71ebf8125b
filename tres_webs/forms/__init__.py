"""Search forms: a database served behind one, and a client that fills one in."""
