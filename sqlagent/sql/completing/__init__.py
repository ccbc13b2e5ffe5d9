"""How SQL that is being typed may go on, at one place of it.

SQL that is typed can seldom be parsed, so its blocks, sources and columns are read off its tokens (`blocks`); what stands
at the cursor says what is wanted there (`places`), and `offering` ranks what there is, tables and joins by `joining`. Nothing here runs anything.
"""

from sqlagent.sql.completing.known import Known
from sqlagent.sql.completing.offering import MOST, complete
from sqlagent.sql.completing.offers import Completion

__all__ = ["MOST", "Completion", "Known", "complete"]
