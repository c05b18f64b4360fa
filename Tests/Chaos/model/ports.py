"""Ports for a test's own servers."""
import random, socket


def free_port():
    """A port on which nothing listens now, of those that the kernel does not lend to the connections of others."""
    while True:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port := random.randrange(10_000, 32_768)))
                return port
            except OSError:
                pass


def answers(host, port):
    with socket.socket() as probe:
        return probe.connect_ex((host, port)) == 0
