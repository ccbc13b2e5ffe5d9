"""Questions and gold SQL in, figures out; stands outside the pipeline and fits what it uses."""
