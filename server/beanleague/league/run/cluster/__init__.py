"""Deals played on other machines, through Dask. Imported only by those who ask for a cluster."""
