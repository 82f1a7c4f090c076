from beanbot import run

run Mine
