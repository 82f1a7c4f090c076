"""How shells complete command lines: click's way, with words whole where a shell splits or replaces them.

Bash splits words at each of COMP_WORDBREAKS, e.g. `trader@2` and `--game=duel`, and replaces what follows the last of
these signs. zsh and fish replace the whole word. Click by itself knows neither.
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
    """Completes `--option=value` as a whole word: click returns the value alone."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Return what the word may become."""
        found = super().get_completions(args, incomplete)
        option, equals, _ = incomplete.partition("=")
        if equals and option.startswith("--"):
            return [
                CompletionItem(f"{option}={item.value}", item.type, item.help) if item.type == "plain" else item
                for item in found
            ]
        return found


class Bash(_WholeWords, BashComplete):
    """Completes the line before the cursor."""

    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the one to complete, and that word."""
        words = split_arg_string(self._line())
        whole = not words or self._line()[-1:].isspace()
        return words[1:] if whole else words[1:-1], "" if whole else words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        """Return the type of a completion, and the part of it that bash puts in place of what it takes for the word."""
        kept = self._kept(self.get_completion_args()[1])
        return f"{item.type},{item.value[kept:] if item.type == 'plain' else item.value}"

    @staticmethod
    def _line() -> str:
        return os.environ.get("COMP_LINE", "")

    @staticmethod
    def _kept(incomplete: str) -> int:
        """Return how many letters of a word bash keeps: all up to the last sign at which it splits words.

        That sign is kept too, except "@", with which names of hosts begin.
        """
        if os.environ.get("COMP_WORD", "").startswith(_QUOTES):
            return 0
        breaks = os.environ.get("COMP_WORDBREAKS", "")
        ends = (at + (letter != "@") for at, letter in enumerate(incomplete) if letter in breaks)
        return max(ends, default=0)


class Zsh(_WholeWords, ZshComplete):
    """Completes whole words."""


class Fish(_WholeWords, FishComplete):
    """Completes whole words."""


def use() -> None:
    """Let click complete for these shells."""
    shells: Sequence[type[ShellComplete]] = (Bash, Zsh, Fish)
    for shell in shells:
        add_completion_class(shell)
