"""Use cases: values in, values out. They know neither calls nor messages; `beanleague.service` translates."""
