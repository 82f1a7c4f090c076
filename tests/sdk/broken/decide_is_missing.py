from beanbot import Bot, run


class Mine(Bot):
    pass


run(Mine)
