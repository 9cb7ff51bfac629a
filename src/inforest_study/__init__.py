"""The study: data sets, methods, the protocol that compares them, and runs that can be resumed.

Needs the extra `study`. The command line is `inforest bench`; from Python, start with
`inforest_study.datasets.load` and `inforest_study.protocol`.
"""
