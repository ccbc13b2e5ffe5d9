"""Makers that write, mend and judge SQL and take up follow-ups: by rule, and with a language model."""
