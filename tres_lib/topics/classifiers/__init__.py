"""Relevance classifiers, their training and evaluation."""
