! In a file of its own.
submodule (solver) far
  implicit none
contains
  module procedure look
    total = total + seen(3) + hidden(4)
  end procedure
end submodule
