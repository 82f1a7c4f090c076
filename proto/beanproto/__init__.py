"""The wire protocols of Beanleague: `.proto` files, and the Python code generated from them."""
