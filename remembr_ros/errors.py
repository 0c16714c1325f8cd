"""The exceptions of remembr_ros.

::

    RemembrError                      anything this package raises on purpose
    +-- ConfigurationError            a parameter, file or setting is wrong; the message names it
    |   +-- MissingDependency         an optional package is not installed; the message is the install command
    |   +-- UnknownBackend            a `provider:model` string names no provider
    +-- InvalidInput                  a message, record or question that cannot be used; the message names the field
    +-- MemoryUnavailable             Milvus cannot be opened or reached; the message names the URI and what to do
    |   +-- MemoryHeld                another process that is not ours holds the Milvus Lite file
    |   +-- ModelMismatch             the collection was written with another embedding model or dimension
    +-- ModelFailed                   a captioner, embedder, language or speech model raised or returned nonsense
    |   +-- LanguageModelUnavailable  the chat endpoint cannot be reached, refused us, or timed out
    +-- NavigationError               the navigator is absent, rejected the goal, or failed
"""


class RemembrError(Exception):
    """Base of every error this package raises on purpose."""


class ConfigurationError(RemembrError):
    """A parameter, file or setting is wrong. The message names it, the value given and what is wanted."""


class MissingDependency(ConfigurationError):
    """An optional package is not installed.

    ``MissingDependency("faster-whisper", "pip install 'faster-whisper>=1.1'", needed_for="asr faster_whisper")``
    """

    def __init__(self, package: str, install: str, needed_for: str) -> None:
        self.package = package
        self.install = install
        super().__init__(f"{needed_for} needs {package}, which is not installed. Install it with: {install}")


class UnknownBackend(ConfigurationError):
    """A `provider:model` string names no provider of this seam."""

    def __init__(self, parameter: str, given: str, known: tuple[str, ...]) -> None:
        super().__init__(f"{parameter}: unknown backend {given!r}; known providers: {', '.join(known)}")


class InvalidInput(RemembrError, ValueError):
    """A message, record or question cannot be used. The message names the field or topic."""


class MemoryUnavailable(RemembrError):
    """Milvus cannot be opened or reached. The message names the URI and what to do."""


class MemoryHeld(MemoryUnavailable):
    """Another process, not one of ours, holds the Milvus Lite file open."""


class ModelMismatch(MemoryUnavailable):
    """The collection was written with another embedding model or dimension."""


class ModelFailed(RemembrError):
    """A captioner, embedder, language or speech model raised or returned nonsense."""


class LanguageModelUnavailable(ModelFailed):
    """The chat endpoint cannot be reached, refused us, or took longer than allowed."""


class NavigationError(RemembrError):
    """The navigator is absent, rejected the goal, or failed."""
