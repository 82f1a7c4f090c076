"""The commands: one module for each word after `beanleague`, imported only when used."""
