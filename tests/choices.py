"""What bots decide, for tests that play their actions one by one."""

from beanbot.bot import Choice
from beanleague.games import Action


def listed(choice: Choice) -> list[Action]:
    """Return the actions of `choice`."""
    return [choice] if isinstance(choice, Action) else list(choice)


def first(choice: Choice) -> Action:
    """Return the first action of `choice`: asked again, a bot goes on with those that still are right."""
    return listed(choice)[0]
