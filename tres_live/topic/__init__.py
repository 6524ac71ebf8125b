"""A topic of one's own: examples, labels, the first look, and what is learnt of them."""
