! What the interfaces of MPI's module let a program do, although the translator reads a module without any: arguments by
! name in any order, of type(*), asynchronous or volatile; abstract interfaces, other modules of MPI's, PMPI; handles as
! constants.
module wrapped
  use mpi_f08_types, only: MPI_Comm, MPI_Datatype
  use mpi_f08
  implicit none
  procedure(MPI_User_function), pointer, public :: unused => null()
contains
  subroutine spread(data, count, kind, over)
    type(*), dimension(..), intent(inout) :: data
    integer, intent(in) :: count
    type(MPI_Datatype), intent(in) :: kind
    type(MPI_Comm), intent(in) :: over
    call MPI_Bcast(data, count, kind, 0, over)
  end subroutine
end module

program mpi_interface
  use wrapped
  use mpi_f08, only: PMPI_Barrier
  implicit none
  integer, parameter :: n = 1000
  real(8), asynchronous :: received(n)
  real(8), volatile :: watched(n)
  real(8) :: before(n), total
  type(MPI_Request) :: request = MPI_REQUEST_NULL
  type(MPI_Comm), parameter :: world = MPI_COMM_WORLD
  type(MPI_Status) :: status
  integer :: step, me
  call MPI_Init()
  call MPI_Comm_rank(rank=me, comm=MPI_COMM_WORLD)
  watched = 7; total = me; received = 0; before = 0
  do step = 1, 4
    call PMPI_Barrier(MPI_COMM_WORLD)
    before = step
    call spread(before, n, MPI_REAL8, world)
    call MPI_Irecv(buf=received, count=n, datatype=MPI_REAL8, source=me, tag=step, comm=MPI_COMM_WORLD, &
                   request=request)
    call MPI_Send(before, n, MPI_REAL8, comm=MPI_COMM_WORLD, tag=step, dest=me)
    call MPI_Wait(request, status=status)
    call MPI_Bcast(watched, n, root=0, datatype=MPI_REAL8, comm=MPI_COMM_WORLD)
    total = total + sum(received) + sum(watched)
  end do
  print '(f20.3)', total
  call MPI_Finalize()
end program
