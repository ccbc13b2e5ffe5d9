"""The sentences of `sqlagent.adapters.ssh`, for the catalogs of translations: workers keep them in English."""

from __future__ import annotations

from django.utils.translation import gettext_noop

TUNNEL_WORDS = (
    gettext_noop("Nothing answers at the SSH server {place}."),
    gettext_noop("No SSH server answers at {place}."),
    gettext_noop("The SSH server {place} did not answer within {seconds} seconds."),
    gettext_noop("The SSH server {place} offers no way of encryption or kind of key that is taken today."),
    gettext_noop("The SSH server {place} broke off, or speaks no SSH."),
    gettext_noop("Check the SSH server's host and port, that it runs, and firewalls on the way."),
    gettext_noop("The SSH server {place} refused the key of user '{user}'."),
    gettext_noop("The SSH server {place} refused the password of user '{user}'."),
    gettext_noop("Check the user and how it signs in to the SSH server."),
    gettext_noop("The passphrase does not open the private key for the SSH server."),
    gettext_noop("The private key for the SSH server has a passphrase, and none was given."),
    gettext_noop("Type the passphrase that the key was made with."),
    gettext_noop("The private key for the SSH server cannot be read."),
    gettext_noop("The passphrase of the private key for the SSH server takes too long to check."),
    gettext_noop("Give the key its passphrase anew, with fewer rounds: ssh-keygen -p -a 100 -f KEY."),
    gettext_noop("The user or the password for the SSH server holds signs that SSH does not take."),
    gettext_noop("Type both anew, without control signs."),
    gettext_noop("Paste the whole file of the private key, from -----BEGIN to the last line."),
    gettext_noop(
        "The SSH server {place} shows another key than the one that was confirmed: {key}. Nothing was sent to it."
    ),
    gettext_noop(
        "Ask its administrator whether its key was changed. If it was, empty the fingerprint in the form of the source, "
        "test it, and confirm the new key. If it was not, something else answers at that address."
    ),
    gettext_noop("The SSH server {place} does not forward to {to} for user '{user}'."),
    gettext_noop("Its administrator allows it (AllowTcpForwarding, PermitOpen)."),
    gettext_noop("The SSH server {place} reaches nothing at {to}."),
    gettext_noop(
        "Host and port of the database are as the SSH server sees them: localhost is the SSH server itself."
    ),
    gettext_noop("The connection to the SSH server {place} was lost."),
)
