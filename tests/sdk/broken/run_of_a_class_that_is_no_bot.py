from beanbot import run


class Mine:
    def decide(self, view):
        return view.default()


run(Mine)
