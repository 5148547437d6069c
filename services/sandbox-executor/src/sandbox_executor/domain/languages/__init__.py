"""What the executor knows of each language."""

from sandbox_executor.domain.languages.definition import Death, DeathSign, Language, fill, read_death
from sandbox_executor.domain.languages.go import LANGUAGE as GO
from sandbox_executor.domain.languages.java import LANGUAGE as JAVA
from sandbox_executor.domain.languages.javascript import LANGUAGE as JAVASCRIPT
from sandbox_executor.domain.languages.php import LANGUAGE as PHP
from sandbox_executor.domain.languages.python import LANGUAGE as PYTHON
from sandbox_executor.domain.languages.typescript import LANGUAGE as TYPESCRIPT

LANGUAGES: dict[str, Language] = {
    language.name: language for language in (PYTHON, JAVASCRIPT, TYPESCRIPT, JAVA, GO, PHP)
}

__all__ = ["LANGUAGES", "Death", "DeathSign", "Language", "fill", "read_death"]
