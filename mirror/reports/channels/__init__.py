"""The ways a report goes out. One module a kind; each is handed a `Parcel` and answers or raises."""

from __future__ import annotations

from mirror.reports.channels.values import Attachment, DeliveryFailed, Parcel, Section

__all__ = ["Attachment", "DeliveryFailed", "Parcel", "Section"]
