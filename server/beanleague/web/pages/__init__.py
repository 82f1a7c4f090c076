"""The pages, a module per group. Each has `routes`, which `app.make_app` collects."""
