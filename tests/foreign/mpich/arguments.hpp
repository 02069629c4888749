/// Arguments of a call as MPICH takes them (get()). What it has written is translated when the call has ended, in
/// destructors.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "mpich.h"
#include "translate.hpp"

namespace cppc::mpich {

/// The same in both.
template <class T>
struct Plain {
  T value;
  [[nodiscard]] T get() const { return value; }
};

template <class T>
Plain<T> plain(T value) {
  return {value};
}

template <class Handle>
Plain<RealOf<Handle>> handle(Handle value) {
  return {to_mpich(value)};
}

template <Kind kind>
Plain<int> constant(int value) {
  return {to_mpich(kind, value)};
}

/// A handle that MPICH writes and, if it `reads`, the program has set.
template <class Handle, bool reads>
class HandleOut {
 public:
  explicit HandleOut(Handle* to) : to_(to), before_(reads && to != nullptr ? to_mpich(*to) : RealOf<Handle>{}) {}
  HandleOut(const HandleOut&) = delete;
  HandleOut& operator=(const HandleOut&) = delete;
  ~HandleOut() {
    if (now_ != before_) *to_ = to_ours<Handle>(now_);
  }
  RealOf<Handle>* get() { return to_ != nullptr ? &now_ : nullptr; }

 private:
  Handle* to_;
  RealOf<Handle> before_, now_ = before_;
};

template <class Handle>
HandleOut<Handle, false> handle_out(Handle* to) {
  return HandleOut<Handle, false>(to);
}
template <class Handle>
HandleOut<Handle, true> handle_in_out(Handle* to) {
  return HandleOut<Handle, true>(to);
}

/// A list of them; MPICH may write those of a list that is not const.
template <class Handle>
class Handles {
  using Value = std::remove_const_t<Handle>;

 public:
  Handles(Handle* list, int length) : list_(list) {
    if (list != nullptr && length > 0) before_.resize(static_cast<std::size_t>(length));
    std::transform(list, list + before_.size(), before_.begin(), [](Value one) { return to_mpich(one); });
    now_ = before_;
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() {
    if constexpr (!std::is_const_v<Handle>) {
      for (std::size_t i = 0; i < now_.size(); ++i)
        if (now_[i] != before_[i]) list_[i] = to_ours<Value>(now_[i]);
    }
  }
  RealOf<Value>* get() { return list_ != nullptr ? now_.data() : nullptr; }

 private:
  Handle* list_;
  std::vector<RealOf<Value>> before_, now_;
};

template <class Handle>
Handles<Handle> handles(Handle* list, int length) {
  return Handles<Handle>(list, length);
}

/// What members have that MPICH has not written; it does not write all, nor all statuses of a list.
inline constexpr int unset = -0x2b2b2b2b;
inline constexpr cppc_mpich_status unwritten = {{unset, unset, unset, unset, unset}};

inline cppc_mpich_status status_to_mpich(const MPI_Status& status) {
  return cppc_mpich_status_of({.source = to_mpich(Kind::RANK, status.MPI_SOURCE),
                               .tag = status.MPI_TAG,
                               .error = unset,
                               .cancelled = status._cancelled,
                               .bytes = status._ucount});
}

inline void status_to_ours(const cppc_mpich_status& written, MPI_Status& status) {
  if (std::memcmp(&written, &unwritten, sizeof written) == 0) return;
  const cppc_status_parts parts = cppc_mpich_parts(&written);
  if (parts.source != unset) status.MPI_SOURCE = to_ours(Kind::RANK, parts.source);
  if (parts.tag != unset) status.MPI_TAG = parts.tag;
  if (parts.error != unset) status.MPI_ERROR = to_ours(Kind::ERROR, parts.error);
  if (parts.bytes == cppc_mpich_parts(&unwritten).bytes) return;
  status._cancelled = parts.cancelled;
  status._ucount = parts.bytes;
}

class StatusIn {
 public:
  explicit StatusIn(const MPI_Status& status) : status_(status_to_mpich(status)) {}
  const cppc_mpich_status* get() { return &status_; }

 private:
  cppc_mpich_status status_;
};

inline StatusIn status_in(const MPI_Status* status) { return StatusIn(*status); }

class StatusOut {
 public:
  explicit StatusOut(MPI_Status* to, cppc_mpich_status before = unwritten) : to_(to), status_(before) {}
  StatusOut(const StatusOut&) = delete;
  StatusOut& operator=(const StatusOut&) = delete;
  ~StatusOut() {
    if (to_ != MPI_STATUS_IGNORE) status_to_ours(status_, *to_);
  }
  void* get() { return to_ != MPI_STATUS_IGNORE ? &status_ : cppc_mpich_status_ignore; }

 private:
  MPI_Status* to_;
  cppc_mpich_status status_;
};

inline StatusOut status_out(MPI_Status* to) { return StatusOut(to); }
inline StatusOut status_in_out(MPI_Status* to) { return StatusOut(to, status_to_mpich(*to)); }

class StatusesOut {
 public:
  StatusesOut(MPI_Status* to, int length) : to_(to) {
    if (to != MPI_STATUSES_IGNORE && length > 0) statuses_.resize(static_cast<std::size_t>(length), unwritten);
  }
  StatusesOut(const StatusesOut&) = delete;
  StatusesOut& operator=(const StatusesOut&) = delete;
  ~StatusesOut() {
    for (std::size_t i = 0; i < statuses_.size(); ++i) status_to_ours(statuses_[i], to_[i]);
  }
  void* get() { return to_ != MPI_STATUSES_IGNORE ? statuses_.data() : cppc_mpich_statuses_ignore; }

 private:
  MPI_Status* to_;
  std::vector<cppc_mpich_status> statuses_;
};

inline StatusesOut statuses_out(MPI_Status* to, int length) { return StatusesOut(to, length); }

template <Kind kind, bool reads>
class ConstantOut {
 public:
  explicit ConstantOut(int* to) : to_(to), before_(reads ? to_mpich(kind, *to) : unset), now_(before_) {}
  ConstantOut(const ConstantOut&) = delete;
  ConstantOut& operator=(const ConstantOut&) = delete;
  ~ConstantOut() {
    if (now_ != before_) *to_ = to_ours(kind, now_);
  }
  int* get() { return &now_; }

 private:
  int* to_;
  int before_, now_;
};

template <Kind kind>
ConstantOut<kind, false> constant_out(int* to) {
  return ConstantOut<kind, false>(to);
}
template <Kind kind>
ConstantOut<kind, true> constant_in_out(int* to) {
  return ConstantOut<kind, true>(to);
}

/// A text that may be longer than the program expects: at most `size` bytes of it, the final zero included. MPICH
/// writes its length to `length`, if there is one.
class TextOut {
 public:
  TextOut(char* to, int size, int* length) : to_(to), size_(size), length_(length) { text_[0] = none; }
  TextOut(const TextOut&) = delete;
  TextOut& operator=(const TextOut&) = delete;
  ~TextOut() {
    if (text_[0] == none) return;
    text_[static_cast<std::size_t>(size_) - 1] = '\0';
    std::strcpy(to_, text_.data());
    if (length_ != nullptr) *length_ = std::min(*length_, size_ - 1);
  }
  char* get() { return text_.data(); }

 private:
  static constexpr char none = '\x7f';

  char* to_;
  int size_;
  int* length_;
  std::array<char, 8192 + 1> text_;  // MPICH's longest
};

inline TextOut text_out(char* to, int size, int* length = nullptr) { return TextOut(to, size, length); }

template <class Pointer>
Plain<Pointer> buffer(Pointer value) {
  return {value == MPI_IN_PLACE ? cppc_mpich_in_place : value};
}

inline int* weights_of(const int* value) {
  if (value == MPI_UNWEIGHTED) return *static_cast<int* const*>(variable("MPI_UNWEIGHTED"));
  if (value == MPI_WEIGHTS_EMPTY) return *static_cast<int* const*>(variable("MPI_WEIGHTS_EMPTY"));
  return const_cast<int*>(value);
}
inline Plain<int*> weights_in(const int* value) { return {weights_of(value)}; }

/// What Open MPI would return.
template <class... Arguments>
int call(Function& function, Arguments&&... arguments) {
  using Pointer = int (*)(decltype(arguments.get())...);
  return to_ours(Kind::ERROR, function.as<Pointer>()(arguments.get()...));
}

}  // namespace cppc::mpich
