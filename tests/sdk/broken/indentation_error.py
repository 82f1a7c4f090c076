class Mine:
def plant(self):
    pass
