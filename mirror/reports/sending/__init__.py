"""Sending of a run: deliveries and their content, recipients, holds, links to files."""
