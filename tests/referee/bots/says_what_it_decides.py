import sys

from beanbot import Action, Bot, View, run


class Talker(Bot[View]):
    asked = 0

    def decide(self, view: View) -> Action:
        self.asked += 1
        print(f"decision {self.asked}", file=sys.stderr, flush=True)
        return view.default()


print("hello", file=sys.stderr, flush=True)
run(Talker)
