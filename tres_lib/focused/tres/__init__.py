"""TRES: Tree-Frontier, DDQN agent, ablations and bounds."""
