"""The pages, a file a page. Each has `routes`, which `app.make_app` puts together."""
