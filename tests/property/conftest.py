"""No deadlines: the machine's other work must not fail a property."""

from hypothesis import settings

settings.register_profile("closeread", deadline=None)
settings.load_profile("closeread")
