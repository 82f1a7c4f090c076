"""Playing deals on other machines, through Dask. Imported only if a cluster is used."""
