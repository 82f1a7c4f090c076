from beanbot.bohnanza import BohnanzaBott
