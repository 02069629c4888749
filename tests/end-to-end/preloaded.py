"""A program in Python that uses MPI by mpi4py, with objects of many kinds that live while it moves. Ends when the file
exists that it is told, and says what a program that it starts has to preload."""
import os
import sys
import tempfile
import time

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.Get_rank(), world.Get_size()
pairs = world.Split(rank % 2, rank)
ring = ((rank + 1) % size, (rank - 1) % size)


def numbers(seed):
    while True:
        seed = seed * 6364136223846793005 % 2**61
        yield seed


class Step:
    def __init__(self, number):
        self.number = number
        self.itself = self

    def __eq__(self, other):
        return self.number == other.number


source = numbers(rank + 1)
expected = [numbers(one + 1) for one in range(size)]
steps = {}
lines = tempfile.TemporaryFile("w+")
right = True
end = False
while not end:
    time.sleep(0.002)
    step = Step(len(steps))
    steps[id(step)] = step
    got = world.sendrecv((step.number, next(source)), dest=ring[0], source=ring[1])
    right &= got == (step.number, [next(one) for one in expected][ring[1]])
    right &= world.allreduce({rank}, lambda a, b: a | b) == set(range(size))
    right &= pairs.allreduce(1) == pairs.Get_size()
    print(step.number, file=lines)
    try:
        world.Send(bytearray(1), dest=size)
        right = False
    except MPI.Exception as failure:
        right &= failure.Get_error_class() == MPI.ERR_RANK
    end = world.bcast(os.path.exists(sys.argv[1]) if rank == 0 else None)
lines.seek(0)
right &= [int(line) for line in lines] == [step.number for step in steps.values()]
right &= all(id(step) == key and step is step.itself for key, step in steps.items())
if world.allreduce(right, MPI.LAND) and rank == 0:
    print("right", flush=True)
    os.system("echo started: ${LD_PRELOAD-none}")
