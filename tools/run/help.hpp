/// What cppc-run --help prints.
#pragma once

namespace cppc::run {

inline constexpr const char* help = R"(Usage: cppc-run [OPTION]... [any option of mpirun] PROGRAM [ARGUMENT]...

Starts PROGRAM with Open MPI's mpirun, as mpirun itself would, with an agent beside it on every node: `migrate` can then
move its ranks to other nodes while they work. Options, several programs separated by ':', signals, input, output and the
exit status are those of mpirun; only --help, --version, --mpi-coverage and those below, given first, are its own.

--mpi-coverage prints for each function of MPI what becomes of it in such a program: supported; passed through, since it
has nothing to do with who is where; or refused, with a message, at the call.

All nodes that ranks are to move to, spare ones included, have to be named from the start, with --host or --hostfile; in an
allocation of Slurm's or a job of PBS they are those of the job.
PROGRAM has to be linked with libcppc, as cppc-cc and its kin do it, unless it is preloaded:
  --preload                      have libcppc preloaded into a program that mpicc, mpicxx or mpifort has linked

Requests come by a socket that only you can open. From other machines, migrate --server asks over TLS:
  --listen ADDRESS:PORT          listen there, too; port 0: one that the system chooses, which CPPC_LOG=info tells
  --tls-cert FILE                the certificate, with those that lead to its authority, as PEM
  --tls-key FILE                 its key, as PEM, which not everybody may read
  --token-file FILE              who knows the token in it may ask: one line of 32 characters or more, mode 0600; browsers
                                 get a page there, which asks for it
  --munge                        or: you and root may ask, as MUNGE says who asks

Images of all ranks, to go on from, are made on request (migrate checkpoint) and:
  --checkpoint-every TIME        so often: 90s, 10min, 2h
  --checkpoint-to DIR            in this directory, which all nodes see, or only this one: then the images are gathered
                                 here; the last two are kept
  --protect partner              or in memory: each on its own node and on another one, whichever of them is lost
  --protect rs:K+M               or with M parities on other nodes for each K images (Reed-Solomon): any M nodes may be
                                 lost at the same time, of K + M or more; M/K as much memory beside the images
  --protect disk                 as --checkpoint-to has it
  --restart DIR                  go on from the newest checkpoint in DIR, or from this one (DIR/3), on whichever nodes
  --resume JOB                   alone: take up a job with images in memory whose cppc-run has been killed, from its newest
                                 images, with the options that it was started with
  --recover N                    when a rank or node is lost, start the job again from its newest checkpoint, on the nodes
                                 that are left; not more than N times without a new checkpoint in between

When the site lets you say that (/etc/cppc/site.toml), others, root too, may move your ranks:
  --site-moves never             not at all
  --site-moves 18:00-06:00       at this time of day

Environment:
  CPPC_LOG=info     say on standard error what happens, as --verbose does; also: debug, trace, warn (the default), error, off
  CPPC_FABRIC=net   libfabric provider for the ranks' state, in place of the best there is: net, tcp, verbs, ...
  CPPC_COMPRESS=off never compress it; on: always; auto (the default): when the network is slow enough to gain

Examples:
  cppc-run -n 4 ./heat                                   on this machine alone
  cppc-run --host node0:2,node1:2,node2:2 -n 4 ./heat    on node0 and node1, with node2 to spare
  cppc-run --hostfile nodes -n 64 --map-by node ./heat
  cppc-run --preload --hostfile nodes -n 64 ./solver     which is linked by mpicc
  salloc -N3 -n8 --no-kill cppc-run ./heat               on three nodes of Slurm's
  migrate status                                         in another terminal: which job is it, who is where
  migrate --rank 3 --to node2
  cppc-run --checkpoint-every 10min --checkpoint-to /scratch/heat --recover 5 --hostfile nodes -n 64 ./heat
  cppc-run --checkpoint-every 1min --protect partner --recover 5 --hostfile nodes -n 64 ./heat
  cppc-run --checkpoint-every 1min --protect rs:8+2 --recover 5 --hostfile nodes -n 64 ./heat
  cppc-run --resume heat-1f2e3d4c
  cppc-run --restart /scratch/heat --hostfile others ./heat
  cppc-run --listen 10.0.0.1:4711 --tls-cert login.pem --tls-key login.key --munge -n 4 ./heat

See also: migrate(1), mpirun(1)
)";

}  // namespace cppc::run
