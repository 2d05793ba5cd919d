"""The errors of the plugin, named by the reaction they call for.

MemoryFSError
  InvalidInput (ValueError)     tell the person who asked: what was wrong, what is allowed
    InvalidMemoryPath           a memory path that is not well formed (R1.4)
    TooLong                     a text over its limit (R3.3)
    Outdated                    a change of something that has changed since it was looked at
  OperatorError                 tell whoever runs the bot: a setting, a directory, a file
    ConfigError                 a setting has a value that is not allowed (R7.1)
    DataDirectoryError          the data directory can't be used
      DirectoryInUse            another process holds it (R6.3)
      DirectoryNotWritable      it can't be created or written (R6.3)
    DatabaseUnusable            the database server can't be reached, or lets nobody in
    SchemaTooNew                the database was written by a newer version
"""


class MemoryFSError(Exception):
    """Root of every error this package raises on purpose."""


class InvalidInput(MemoryFSError, ValueError):
    """Input that can't be taken; the message names the value and what is allowed."""


class InvalidMemoryPath(InvalidInput):
    """A memory path that is not well formed (R1.4)."""


class TooLong(InvalidInput):
    """A text over its limit; the message names the limit."""


class Outdated(InvalidInput):
    """A change of something that has changed since it was looked at: nothing was overwritten."""


class OperatorError(MemoryFSError):
    """Something only whoever runs the bot can mend."""


class ConfigError(OperatorError):
    """A setting has a value that is not allowed (R7.1)."""


class DataDirectoryError(OperatorError):
    """The data directory can't be used."""


class DirectoryInUse(DataDirectoryError):
    """Another process holds the data directory (R6.3)."""


class DirectoryNotWritable(DataDirectoryError):
    """The data directory can't be created or written (R6.3)."""


class DatabaseUnusable(OperatorError):
    """The database server can't be reached, lets nobody in, or refuses what is needed (R6.1)."""


class SchemaTooNew(OperatorError):
    """The database was written by a newer version of the plugin."""
