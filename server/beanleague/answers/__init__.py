"""Answers of the service in other forms, which the command line and the site share."""
