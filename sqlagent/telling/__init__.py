"""An answer told: its chart, its sentence, and how other readings differ from it."""
