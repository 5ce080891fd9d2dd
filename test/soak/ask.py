#!/usr/bin/env python3
"""ask - asks the server of sums what it can answer and what it cannot.

	ask.py PORT REQUESTS RATE

Four clients in turns, always the same questions; every connection serves fifty. Prints
every answer.
"""
import random
import socket
import sys
import time

port, requests, rate = (int(a) for a in sys.argv[1:])
chance = random.Random(1)


def question(depth=0):
    if depth > 6 or depth and chance.random() < 0.4:
        # one word in ten cannot be read
        return str(chance.randrange(1000)) if chance.random() < 0.9 else "x"
    return f"{chance.choice('+*')} {question(depth + 1)} {question(depth + 1)}"


clients = [None] * 4
began = time.monotonic()
for i in range(requests):
    at = i % 4
    if i // 4 % 50 == 0:
        if clients[at]:
            clients[at].close()
        clients[at] = socket.create_connection(("127.0.0.1", port), 20).makefile("rw")
    clients[at].write(question() + "\n")
    clients[at].flush()
    print(clients[at].readline(), end="")
    time.sleep(max(0, began + (i + 1) / rate - time.monotonic()))
