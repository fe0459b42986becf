"""w1 of workloads.h in SimPy, as a peer for the table of bench.c: a process per resource that takes the
next node of its queue and sleeps for its duration.  Written for SimPy 2 (module SimPy, as Debian has it)
and for SimPy 3 or later (module simpy), whichever is there.

usage: peer_simpy.py DIR NODES TRIALS; prints ns of CPU time per node, and the mean makespan in us;
exit status 77 without SimPy."""

import collections
import csv
import math
import random
import re
import sys
import time

try:
    import simpy
except ImportError:
    simpy = None
    try:
        import SimPy.Simulation as simpy2
    except ImportError:
        sys.exit(77)

SIGMA = 0.25


def load(folder):
    """Resource, log of the median duration, successors and number of predecessors by node."""
    with open(folder + "/nodes.csv", newline="") as rows:
        nodes = list(csv.DictReader(rows))
    index = {row["node"]: i for i, row in enumerate(nodes)}
    resource = [int(row["resource"][1:]) for row in nodes]
    mu = [math.log(float(re.search(r"median=([0-9.e+-]+)us", row["duration"])[1])) for row in nodes]
    successors, indegree = [[] for _ in nodes], [0] * len(nodes)
    with open(folder + "/edges.csv", newline="") as rows:
        for row in csv.DictReader(rows):
            successors[index[row["from"]]].append(index[row["to"]])
            indegree[index[row["to"]]] += 1
    return resource, mu, successors, indegree


class Trial:
    """One trial's queues; `wake` is called for a resource whose server sleeps."""

    def __init__(self, graph):
        self.resource, self.mu, self.successors, indegree = graph
        self.left = list(indegree)
        self.queues = [collections.deque() for _ in range(max(self.resource) + 1)]
        self.sleeper = [None] * len(self.queues)
        for node, count in enumerate(indegree):
            if not count:
                self.queues[self.resource[node]].append(node)

    def duration(self, node):
        return random.lognormvariate(self.mu[node], SIGMA)

    def finish(self, node, wake):
        for successor in self.successors[node]:
            self.left[successor] -= 1
            if not self.left[successor]:
                r = self.resource[successor]
                self.queues[r].append(successor)
                if self.sleeper[r] is not None:
                    sleeper, self.sleeper[r] = self.sleeper[r], None
                    wake(sleeper)


def run_simpy3(graph):
    environment, trial = simpy.Environment(), Trial(graph)

    def serve(r):
        while True:
            while not trial.queues[r]:
                trial.sleeper[r] = environment.event()
                yield trial.sleeper[r]
            node = trial.queues[r].popleft()
            yield environment.timeout(trial.duration(node))
            trial.last = environment.now
            trial.finish(node, lambda event: event.succeed())

    for r in range(len(trial.queues)):
        environment.process(serve(r))
    environment.run()
    return trial.last


def run_simpy2(graph):
    simulation, trial = simpy2.Simulation(), Trial(graph)
    simulation.initialize()

    class Server(simpy2.Process):
        def serve(self, r):
            while True:
                while not trial.queues[r]:
                    trial.sleeper[r] = self
                    yield simpy2.passivate, self
                node = trial.queues[r].popleft()
                yield simpy2.hold, self, trial.duration(node)
                trial.last = simulation.now()
                trial.finish(node, simulation.reactivate)

    for r in range(len(trial.queues)):
        server = Server(sim=simulation)
        simulation.activate(server, server.serve(r))
    simulation.simulate(until=math.inf)
    return trial.last


def main():
    graph, trials = load(sys.argv[1]), int(sys.argv[3])
    random.seed(1)
    run = run_simpy3 if simpy else run_simpy2
    begin = time.process_time()
    total = sum(run(graph) for _ in range(trials))
    seconds = time.process_time() - begin
    print(f"{seconds * 1e9 / len(graph[0]) / trials:.1f} {total / trials:.4f}")


main()
