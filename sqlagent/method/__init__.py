"""The stages of the method, named as in R³-SQL: what is sampled, executed, grouped, ranked, audited and believed."""
