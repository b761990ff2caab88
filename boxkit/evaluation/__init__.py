"""Datasets, scorers, the runner and its reports."""
