! A program by the module mpi, under an extension whose world has MPI's ranks backwards: a call that goes past
! libcppc shows.
module operation
  use mpi
  implicit none
  integer :: seen
contains
  subroutine add(in, inout, length, datatype)
    integer :: length, datatype
    integer :: in(length), inout(length)
    inout = inout + in
    seen = datatype
  end subroutine add
end module operation

program use_mpi
  use mpi
  use operation
  implicit none
  integer, parameter :: first_of_tables = 2**24
  integer :: rank, size, real_rank, next, before, values(4), sum, place, count, length, error, failures = 0
  integer, asynchronous :: buffer(1000)
  integer :: detached(1)
  integer(MPI_ADDRESS_KIND) :: lowest, extent
  character(len=16) :: text
  character(len=MPI_MAX_OBJECT_NAME) :: name
  logical :: flag
  integer :: half
  integer :: group
  integer :: pair
  integer :: own
  integer :: info
  integer :: requests(2)
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
  integer :: window
  integer :: handler

  call MPI_Init(error)
  buffer = 0
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  call get_environment_variable('OMPI_COMM_WORLD_RANK', text)
  read (text, *) real_rank
  call expect(rank == size - 1 - real_rank, 'the rank of the extension')
  next = modulo(rank + 1, size)
  before = modulo(rank - 1, size)

  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half, error)
  call expect(half > first_of_tables, 'a number of the table for a communicator')
  call MPI_Comm_set_name(half, 'half', error)
  call MPI_Comm_get_name(half, name, length, error)
  call expect(name == 'half' .and. length == 4, 'a name')
  call MPI_Comm_group(half, group, error)
  call MPI_Group_size(group, count, error)
  call expect(count == (size + 1 - modulo(rank, 2)) / 2, 'half of the ranks')
  call MPI_Group_free(group, error)

  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, pair, error)
  call expect(pair > first_of_tables, 'a number of the table for a datatype')
  call MPI_Type_commit(pair, error)
  call MPI_Type_get_extent(pair, lowest, extent, error)
  call expect(extent == 12, 'an extent')
  values = [rank, -1, rank + 100, -1]
  call MPI_Irecv(values(2), 1, pair, before, 1, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(values(1), 1, pair, next, 1, MPI_COMM_WORLD, requests(2), error)
  call expect(requests(1) > first_of_tables, 'a number of the table for a request')
  call MPI_Waitall(2, requests, statuses, error)
  call expect(all(values == [rank, before, rank + 100, before + 100]), 'a message of a derived type')
  call expect(statuses(MPI_SOURCE, 1) == before, 'a status')
  call MPI_Get_count(statuses(:, 1), pair, count, error)
  call expect(count == 1, 'a count')
  call expect(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 'completed requests')
  call MPI_Type_free(pair, error)
  call expect(pair == MPI_DATATYPE_NULL, 'a freed datatype')

  sum = rank
  call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call expect(sum == size * (size - 1) / 2, 'MPI_IN_PLACE')
  call MPI_Type_contiguous(1, MPI_INTEGER, pair, error)
  call MPI_Type_commit(pair, error)
  call MPI_Op_create(add, .true., own, error)
  call expect(own > first_of_tables, 'a number of the table for an operation')
  call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, own, MPI_COMM_WORLD, error)
  call expect(sum == size * (size - 1) / 2, 'an own operation')
  call MPI_Reduce_local(rank, sum, 1, pair, own, error)
  call expect(seen == pair, 'the datatype in an own operation')
  call MPI_Op_free(own, error)

  call MPI_Get_address(values, lowest, error)
  call MPI_Sizeof(values, length, error)
  call expect(length == 4, 'MPI_Sizeof')
  call MPI_Sendrecv(MPI_BOTTOM, 0, MPI_INTEGER, next, 2, values, 0, MPI_INTEGER, before, 2, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, error)
  call MPI_Iprobe(MPI_ANY_SOURCE, 3, half, flag, status, error)
  call expect(.not. flag, 'a logical')
  call MPI_Info_create(info, error)
  call MPI_Info_set(info, 'key', 'value', error)
  call MPI_Info_get(info, 'key', 16, text, flag, error)
  call expect(flag .and. text == 'value', 'an info object')
  call MPI_Win_create(buffer, 4000_MPI_ADDRESS_KIND, 4, info, MPI_COMM_WORLD, window, error)
  call MPI_Win_fence(0, window, error)
  call MPI_Put(rank, 1, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 1, pair, window, error)
  call MPI_Win_fence(0, window, error)
  call MPI_F_sync_reg(buffer)
  call expect(buffer(1) == before, 'a window')
  call MPI_Win_free(window, error)
  call MPI_Info_free(info, error)
  call MPI_Type_free(pair, error)
  call MPI_Comm_get_errhandler(half, handler, error)
  call expect(handler == MPI_ERRORS_ARE_FATAL, 'an error handler')

  call MPI_Buffer_attach(buffer, 4000, error)
  call MPI_Bsend(rank, 1, MPI_INTEGER, next, 4, MPI_COMM_WORLD, error)
  call MPI_Recv(place, 1, MPI_INTEGER, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, status, error)
  call expect(place == before .and. status(MPI_TAG) == 4, 'a buffered message')
  call MPI_Buffer_detach(detached, length, error)
  call expect(length == 4000, 'the detached buffer')
  call MPI_Comm_free(half, error)
  call MPI_Finalize(error)
  if (failures > 0) error stop 1

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(a, i0, 2a)', 'rank ', rank, ' has not seen: ', what
    failures = failures + 1
  end subroutine expect

end program use_mpi

