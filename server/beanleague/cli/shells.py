"""Shell completion with click, extended for words that a shell splits or replaces.

Bash splits words at each of COMP_WORDBREAKS, e.g. `trader@2` and `--game=duel`, and replaces only the part after the
last of these characters. zsh and fish replace the whole word. Click alone handles neither.
"""

import os
from collections.abc import Sequence

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n' completion
    for completion in $(env COMP_LINE="${COMP_LINE:0:COMP_POINT}" COMP_WORD="${COMP_WORDS[COMP_CWORD]}" \\
        COMP_WORDBREAKS="$COMP_WORDBREAKS" %(complete_var)s=bash_complete "$1"); do
        case $completion in
            dir,*) COMPREPLY=(); compopt -o dirnames ;;
            file,*) COMPREPLY=(); compopt -o default ;;
            plain,*) COMPREPLY+=("${completion#plain,}") ;;
        esac
    done
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""
_QUOTES = ("'", '"')


class _WholeWords(ShellComplete):
    """Makes click complete `--option=value` as a whole word; by itself it returns only the value."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return the completions as whole words."""
        found = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if equals and option.startswith("--"):
            return [
                CompletionItem(f"{option}={item.value}", item.type, item.help) if item.type == "plain" else item
                for item in found
            ]
        return found


class Bash(_WholeWords, BashComplete):
    """Completion for bash, of the line before the cursor."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and the incomplete word."""
        words = split_arg_string(self._line())
        whole = not words or self._line()[-1:].isspace()
        return words[1:] if whole else words[1:-1], "" if whole else words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """Return the type of a completion, and the part that replaces bash's current word."""
        kept = self._kept_length(self.get_completion_args()[1])
        return f"{item.type},{item.value[kept:] if item.type == 'plain' else item.value}"

    @staticmethod
    def _line() -> str:
        return os.environ.get("COMP_LINE", "")

    @staticmethod
    def _kept_length(incomplete: str) -> int:
        """Return the number of leading characters that bash keeps: up to the last unquoted separator.

        The separator itself is kept, except "@", since bash takes it for the start of a host name.
        """
        word = os.environ.get("COMP_WORD", "")
        if word.startswith(_QUOTES) or "\\" in word:
            return max(len(incomplete) - len("".join(split_arg_string(word))), 0)
        breaks = os.environ.get("COMP_WORDBREAKS", "")
        ends = (at + (letter != "@") for at, letter in enumerate(incomplete) if letter in breaks)
        return max(ends, default=0)


class Zsh(_WholeWords, ZshComplete):
    """Completion for zsh, which replaces whole words."""


class Fish(_WholeWords, FishComplete):
    """Completion for fish, which replaces whole words."""


def use() -> None:
    """Register these completion classes with click."""
    shells: Sequence[type[ShellComplete]] = (Bash, Zsh, Fish)
    for shell in shells:
        add_completion_class(shell)
