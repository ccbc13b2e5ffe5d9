"""Operations of the API, a subject at a time, and the pages about tokens."""
