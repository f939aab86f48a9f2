# SPDX-License-Identifier: Apache-2.0

"""A local Ray on loopback: tasks, an actor and a small Serve application. It prints one line of JSON when all is
done, with the address of its metrics page, and stops when stdin ends."""

import argparse
import json
import logging
import socket
import sys
import threading
import urllib.error
import urllib.request

import ray
from ray import serve

REQUESTS = 6


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@ray.remote(num_cpus=0.5)
def double(x):
    logging.getLogger("ray").warning("doubling %d", x)
    print("doubling", x)
    return 2 * x


@ray.remote(num_cpus=0.5)
def quadruple(x):
    """Calls from the task, and from a thread of it, where the context is lost."""
    calls = []
    thread = threading.Thread(target=lambda: calls.append(double.remote(x)))
    thread.start()
    thread.join()
    return ray.get(double.remote(x)) + ray.get(calls[0])


@ray.remote(num_cpus=0.5)
class Counter:
    def __init__(self):
        self.value = 0

    def add(self, n):
        self.value += n
        return self.value


@serve.deployment(ray_actor_options={"num_cpus": 0.1})
class Orders:
    def __call__(self, request):
        logging.getLogger("ray.serve").warning("order taken\nfor %s", request.url.path)
        if request.url.path == "/broken":
            raise ValueError("no such order")
        return "ok"


def request(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


def start_ray(**settings):
    """Starts Ray. It gives a node 30 s, which is too little when all tests of a machine start at once."""
    for attempt in range(3):
        try:
            return ray.init(**settings)
        except Exception:
            ray.shutdown()
            if attempt == 2:
                raise


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--dir", required=True, help="directory of the session")
    dir = arguments.parse_args().dir

    metrics, http = free_port(), free_port()
    start_ray(
        num_cpus=2,
        object_store_memory=80 << 20,
        include_dashboard=False,
        logging_config=ray.LoggingConfig(encoding="TEXT"),
        _temp_dir=dir,
        _metrics_export_port=metrics,
        _tracing_startup_hook="tracing_hook:set_up",
    )
    assert ray.get([quadruple.remote(i) for i in range(2)]) == [0, 4]
    counter = Counter.remote()
    assert ray.get([counter.add.remote(1) for _ in range(3)])[-1] == 3

    serve.start(http_options={"host": "127.0.0.1", "port": http})
    serve.run(Orders.bind(), name="shop")
    paths = [f"/orders/{4711 + i}" for i in range(REQUESTS - 1)] + ["/broken"]
    statuses = [request(http, path) for path in paths]
    assert statuses == [200] * (REQUESTS - 1) + [500], statuses

    print(json.dumps({"metrics": f"127.0.0.1:{metrics}", "requests": REQUESTS}), flush=True)
    sys.stdin.read()
    serve.shutdown()
    ray.shutdown()


if __name__ == "__main__":
    main()
