"""Requests to a site without TLS, which may take a minute.

By default each reads the certificates of all authorities, which takes 24 ms, and is given up after 5 s.
"""

from functools import partial

import httpx

from tests.waiting import TIMEOUT_S

get = partial(httpx.get, verify=False, timeout=TIMEOUT_S)
head = partial(httpx.head, verify=False, timeout=TIMEOUT_S)
post = partial(httpx.post, verify=False, timeout=TIMEOUT_S)
request = partial(httpx.request, verify=False, timeout=TIMEOUT_S)
stream = partial(httpx.stream, verify=False, timeout=TIMEOUT_S)
Client = partial(httpx.Client, verify=False, timeout=TIMEOUT_S)
