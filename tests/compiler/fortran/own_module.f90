! Of a program that has a module `mpi` of its own.
module mpi
  include 'mpif.h'
end module
