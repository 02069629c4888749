! Fast Fourier transforms of lines, by the autosort algorithm of Stockham.
module ft_lines
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: transform
  integer, parameter, public :: longest_line = 256

  complex(real64), save :: roots(0:longest_line - 1) ! exp(2 pi i k / longest_line)
  logical, save :: has_roots = .false.

contains

  subroutine make_roots()
    integer :: k
    real(real64), parameter :: two_pi = 6.283185307179586_real64

    do k = 0, longest_line - 1
      roots(k) = cmplx(cos(two_pi * k / longest_line), sin(two_pi * k / longest_line), real64)
    end do
    has_roots = .true.
  end subroutine make_roots

  ! In place, without scaling; the direction is -1 (forward) or 1. The length is a power of two.
  subroutine transform(line, direction)
    complex(real64), intent(inout) :: line(:)
    integer, intent(in) :: direction
    complex(real64), target :: buffers(0:size(line) - 1, 2)
    complex(real64), pointer :: from(:), to(:), other(:)
    complex(real64) :: root
    integer :: length, width, half, p, q

    if (.not. has_roots) call make_roots()
    buffers(:, 1) = line
    from(0:) => buffers(:, 1)
    to(0:) => buffers(:, 2)
    length = size(line)
    width = 1
    do while (length > 1)
      half = length / 2
      do p = 0, half - 1
        root = roots(p * (longest_line / length))
        if (direction < 0) root = conjg(root)
        do q = 0, width - 1
          to(2 * p * width + q) = from(p * width + q) + from((p + half) * width + q)
          to((2 * p + 1) * width + q) = (from(p * width + q) - from((p + half) * width + q)) * root
        end do
      end do
      other => from
      from => to
      to => other
      length = half
      width = 2 * width
    end do
    line = from
  end subroutine transform

end module ft_lines
