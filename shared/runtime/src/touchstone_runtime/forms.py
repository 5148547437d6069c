"""Forms of functions that were made from others of their source, and come beside what they were made of."""

from __future__ import annotations

# A function with what it needs of its package, a method as a function of its object's fields, and a class with a driver
# of its operations. They are tasks; people search what they were made of.
MADE_FORMS = frozenset({"slice", "record", "sequence"})
