"""Every exception this package raises.

* PreceptorError
  + InputError           a value from outside was refused; the message names it and what was expected
  + SettingsError        a setting is misspelt, missing or out of range
  + PromptError          a prompt file or its inputs are wrong (ours to fix)
  + MissingExtraError    an optional dependency is not installed; the message names the extra
  + ModelError           the provider call failed
    - ModelTimeoutError  the total deadline passed
    - ModelOutputError   it answered, but not in the role's output type
    - ModelCutError      the stream ended before the model said it was finished
    - ConsentError       the owner has not agreed to send text to this provider
  + StoreError
    - DuplicateError     a record with this id exists
    - NotFoundError      no record with this id
    - UnsafePathError    the database would lie where SQLite loses data
    - MigrationError     the schema is newer than this program, or a migration failed
  + ChainError           the episode log does not verify
  + BusyError            another turn of this dialogue is running, or a limit was reached
"""

from __future__ import annotations


class PreceptorError(Exception):
    """Root of every exception this package raises."""


class InputError(PreceptorError):
    """A value from outside was refused; the message names it and what was expected."""


class SettingsError(PreceptorError):
    """A setting is misspelt, missing or out of range."""


class PromptError(PreceptorError):
    """A prompt file or its inputs are wrong."""


class MissingExtraError(PreceptorError):
    """An optional dependency is not installed; the message names the extra."""


class ModelError(PreceptorError):
    """A call to a language model failed."""


class ModelTimeoutError(ModelError):
    """The total deadline of a model call passed."""


class ModelOutputError(ModelError):
    """The model answered, but not in the role's output type."""


class ModelCutError(ModelError):
    """The model's stream ended before it said that it was finished."""


class ConsentError(ModelError):
    """The owner has not agreed to send text to this provider."""


class StoreError(PreceptorError):
    """The database refused or failed."""


class DuplicateError(StoreError):
    """A record with this id exists; nothing was changed."""


class NotFoundError(StoreError):
    """No record with this id exists in this scope."""


class UnsafePathError(StoreError):
    """The database would lie on a file system where SQLite loses data."""


class MigrationError(StoreError):
    """The schema is newer than this program, or a migration failed and was rolled back."""


class ChainError(PreceptorError):
    """The episode log does not verify."""


class BusyError(PreceptorError):
    """Another turn of this dialogue is running, or a limit was reached."""
