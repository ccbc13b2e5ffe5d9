"""Questions of editors to subjects that know more of a source, without knowing which they are."""

from django.dispatch import Signal

# Terms of a source are wanted, to be offered while SQL is typed. Sent with `source`; receivers give values of `sqlagent`.
terms_wanted = Signal()
