"""The commands, a module for each word after `beanleague`. Imported only when used."""
