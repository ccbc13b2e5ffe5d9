"""What `sqlagent/pipeline.py` is made of: what a question is answered with, who answers, what is said at the end.

Holds the matters that belong to no stage. Knows every stage, as the pipeline does; no vendor.
"""
