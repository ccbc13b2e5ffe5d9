"""Who writes, mends and judges SQL and takes up follow-ups: by rule, and with a language model."""
