"""Does anything that is legal, all actions being equally likely."""

from beanbot import Action, Bot, View, run


class RandomBot(Bot[View]):
    """Chooses among the legal actions."""

    news = False

    def decide(self, view: View) -> Action:
        return self.random.choice(view.legal())


run(RandomBot)
