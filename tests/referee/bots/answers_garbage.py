import os
import queue

import grpc

outbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
outbox.put(b"\x0a\x02\x30\x02")  # a hello of protocol 2
channel = grpc.insecure_channel(os.environ["BEANLEAGUE_SOCKET"])
for _ in channel.stream_stream("/beanproto.v1.Referee/Play", None, None)(iter(outbox.get, None)):
    outbox.put(b"\xff\xff\xff not a message")
