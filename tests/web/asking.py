"""Requests to a site without TLS. By default each reads the certificates of all authorities, which takes 24 ms."""

from functools import partial

import httpx

get = partial(httpx.get, verify=False)
head = partial(httpx.head, verify=False)
post = partial(httpx.post, verify=False)
Client = partial(httpx.Client, verify=False)
