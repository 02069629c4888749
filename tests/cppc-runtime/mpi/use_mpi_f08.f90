! A program by the module mpi_f08, under an extension whose world has MPI's ranks backwards: a call that goes past
! libcppc shows.
module operation
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: seen
contains
  subroutine add(in, inout, length, datatype)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: from(:), to(:)
    call c_f_pointer(in, from, [length])
    call c_f_pointer(inout, to, [length])
    to = to + from
    seen = datatype
  end subroutine add
end module operation

program use_mpi_f08
  use mpi_f08
  use operation
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
  integer, parameter :: first_of_tables = 2**24
  integer :: rank, size, real_rank, next, before, values(4), sum, place, count, length, failures = 0
  integer, asynchronous :: buffer(1000)
  integer(MPI_ADDRESS_KIND) :: lowest, extent
  character(len=16) :: text
  character(len=MPI_MAX_OBJECT_NAME) :: name
  logical :: flag
  type(c_ptr) :: detached
  type(MPI_Comm) :: half
  type(MPI_Group) :: group
  type(MPI_Datatype) :: pair
  type(MPI_Op) :: own
  type(MPI_Info) :: info
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: status, statuses(2)
  type(MPI_Win) :: window
  type(MPI_Errhandler) :: handler

  call MPI_Init()
  buffer = 0
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call get_environment_variable('OMPI_COMM_WORLD_RANK', text)
  read (text, *) real_rank
  call expect(rank == size - 1 - real_rank, 'the rank of the extension')
  next = modulo(rank + 1, size)
  before = modulo(rank - 1, size)

  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, half)
  call expect(half%MPI_VAL > first_of_tables, 'a number of the table for a communicator')
  call MPI_Comm_set_name(half, 'half')
  call MPI_Comm_get_name(half, name, length)
  call expect(name == 'half' .and. length == 4, 'a name')
  call MPI_Comm_group(half, group)
  call MPI_Group_size(group, count)
  call expect(count == (size + 1 - modulo(rank, 2)) / 2, 'half of the ranks')
  call MPI_Group_free(group)

  call MPI_Type_vector(2, 1, 2, MPI_INTEGER, pair)
  call expect(pair%MPI_VAL > first_of_tables, 'a number of the table for a datatype')
  call MPI_Type_commit(pair)
  call MPI_Type_get_extent(pair, lowest, extent)
  call expect(extent == 12, 'an extent')
  values = [rank, -1, rank + 100, -1]
  call MPI_Irecv(values(2), 1, pair, before, 1, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(values(1), 1, pair, next, 1, MPI_COMM_WORLD, requests(2))
  call expect(requests(1)%MPI_VAL > first_of_tables, 'a number of the table for a request')
  call MPI_Waitall(2, requests, statuses)
  call expect(all(values == [rank, before, rank + 100, before + 100]), 'a message of a derived type')
  call expect(statuses(1)%MPI_SOURCE == before, 'a status')
  call MPI_Get_count(statuses(1), pair, count)
  call expect(count == 1, 'a count')
  call expect(requests(1) == MPI_REQUEST_NULL .and. requests(2) == MPI_REQUEST_NULL, 'completed requests')
  call MPI_Type_free(pair)
  call expect(pair == MPI_DATATYPE_NULL, 'a freed datatype')

  sum = rank
  call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call expect(sum == size * (size - 1) / 2, 'MPI_IN_PLACE')
  call MPI_Type_contiguous(1, MPI_INTEGER, pair)
  call MPI_Type_commit(pair)
  call MPI_Op_create(add, .true., own)
  call expect(own%MPI_VAL > first_of_tables, 'a number of the table for an operation')
  call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, own, MPI_COMM_WORLD)
  call expect(sum == size * (size - 1) / 2, 'an own operation')
  call MPI_Reduce_local(rank, sum, 1, pair, own)
  call expect(seen == pair, 'the datatype in an own operation')
  call MPI_Op_free(own)

  call MPI_Get_address(values, lowest)
  call MPI_Sendrecv(MPI_BOTTOM, 0, MPI_INTEGER, next, 2, values, 0, MPI_INTEGER, before, 2, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE)
  call MPI_Iprobe(MPI_ANY_SOURCE, 3, half, flag, status)
  call expect(.not. flag, 'a logical')
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'key', 'value')
  call MPI_Info_get(info, 'key', 16, text, flag)
  call expect(flag .and. text == 'value', 'an info object')
  call MPI_Win_create(buffer, 4000_MPI_ADDRESS_KIND, 4, info, MPI_COMM_WORLD, window)
  call MPI_Win_fence(0, window)
  call MPI_Put(rank, 1, MPI_INTEGER, next, 0_MPI_ADDRESS_KIND, 1, pair, window)
  call MPI_Win_fence(0, window)
  call MPI_F_sync_reg(buffer)
  call expect(buffer(1) == before, 'a window')
  call MPI_Win_free(window)
  call MPI_Info_free(info)
  call MPI_Type_free(pair)
  call MPI_Comm_get_errhandler(half, handler)
  call expect(handler == MPI_ERRORS_ARE_FATAL, 'an error handler')

  call MPI_Buffer_attach(buffer, 4000)
  call MPI_Bsend(rank, 1, MPI_INTEGER, next, 4, MPI_COMM_WORLD)
  call MPI_Recv(place, 1, MPI_INTEGER, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, status)
  call expect(place == before .and. status%MPI_TAG == 4, 'a buffered message')
  call MPI_Buffer_detach(detached, length)
  call MPI_Get_address(buffer, lowest)
  call expect(length == 4000 .and. transfer(detached, lowest) == lowest, 'the detached buffer')
  call MPI_Comm_free(half)
  call MPI_Finalize()
  if (failures > 0) error stop 1

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    print '(a, i0, 2a)', 'rank ', rank, ' has not seen: ', what
    failures = failures + 1
  end subroutine expect

end program use_mpi_f08
