"""Relevance classifiers: is a text on the topic?"""
