"""Parts of `sqlagent/pipeline.py`: the resources of a question, the choice of makers, the texts at the end.

Holds the matters that belong to no stage. Knows every stage, as the pipeline does; no vendor.
"""
