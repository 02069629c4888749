// Functions of the program that MPICH calls: with Open MPI's handles and codes.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <utility>

#include "arguments.hpp"

namespace cppc::mpich {

namespace {

/// A function is called by MPICH without a word about what it belongs to, so that each has a caller, for good.
template <class Called, template <std::size_t> class Caller, std::size_t most = 256>
class Callers {
 public:
  static inline std::array<Called*, most> functions{};

  /// The caller of `function`.
  static auto* of(Called* function, const char* creator) {
    static constexpr auto all = []<std::size_t... index>(std::index_sequence<index...>) {
      return std::array{&Caller<index>::call...};
    }
    (std::make_index_sequence<most>());
    auto place = std::ranges::find(functions, function);
    if (place == functions.end()) place = std::ranges::find(functions, nullptr);
    if (place == functions.end()) not_there(creator);
    *place = function;
    return all[static_cast<std::size_t>(place - functions.begin())];
  }
};

template <std::size_t index>
struct Operation;
using Operations = Callers<MPI_User_function, Operation>;

template <std::size_t index>
struct Operation {
  static void call(void* in, void* inout, int* length, int* type) {
    MPI_Datatype known = to_ours<MPI_Datatype>(*type);
    Operations::functions[index](in, inout, length, &known);
  }
};

/// Open MPI gives error handlers the name of the function that failed, which MPICH does not.
constexpr const char* where = "MPI";

template <class Object>
struct Handler {
  using Function = void(Object*, int*, ...);
  template <std::size_t index>
  struct Caller;
  using All = Callers<Function, Caller, 64>;

  template <std::size_t index>
  struct Caller {
    static void call(RealOf<Object>* object, int* code, ...) {
      Object known = to_ours<Object>(*object);
      int known_code = to_ours(Kind::ERROR, *code);
      All::functions[index](&known, &known_code, where, nullptr);
    }
  };

  static int create(Function* function, MPI_Errhandler* made, cppc::mpich::Function& maker, const char* name) {
    return mpich::call(maker, plain(All::of(function, name)), handle_out(made));
  }
};

/// What the program gave for an attribute's key, in use until the process ends.
template <class Object>
struct Key {
  using Copy = int(Object, int, void*, void*, void*, int*);
  using Delete = int(Object, int, void*, void*);

  Copy* copy;
  Delete* erase;
  void* extra;

  static int call_copy(int object, int keyval, void* key, void* value, void* copied, int* flag) {
    const Key& own = *static_cast<const Key*>(key);
    *flag = 0;
    if (own.copy == nullptr) return MPI_SUCCESS;
    return own.copy(to_ours<Object>(object), to_ours(Kind::KEYVAL, keyval), own.extra, value, copied, flag);
  }

  static int call_delete(int object, int keyval, void* value, void* key) {
    const Key& own = *static_cast<const Key*>(key);
    if (own.erase == nullptr) return MPI_SUCCESS;
    return own.erase(to_ours<Object>(object), to_ours(Kind::KEYVAL, keyval), value, own.extra);
  }

  static int create(Function& maker, Copy* copy, Delete* erase, int* keyval, void* extra) {
    return call(maker, plain(call_copy), plain(call_delete), constant_out<Kind::KEYVAL>(keyval),
                plain(static_cast<void*>(new Key{copy, erase, extra})));
  }
};

struct General {
  MPI_Grequest_query_function* query;
  MPI_Grequest_free_function* free;
  MPI_Grequest_cancel_function* cancel;
  void* state;

  static int call_query(void* given, cppc_mpich_status* real) {
    const General& own = *static_cast<const General*>(given);
    MPI_Status status{};
    status_to_ours(*real, status);
    const int result = own.query(own.state, &status);
    *real = status_to_mpich(status);
    return result;
  }

  static int call_free(void* given) {
    const General own = *static_cast<const General*>(given);
    delete static_cast<const General*>(given);
    return own.free(own.state);
  }

  static int call_cancel(void* given, int complete) {
    const General& own = *static_cast<const General*>(given);
    return own.cancel(own.state, complete);
  }
};

int copies_nothing(int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int copies_value(void* value, void* copied, int* flag) {
  *static_cast<void**>(copied) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace cppc::mpich

using namespace cppc::mpich;

extern "C" {

int PMPI_Op_create(MPI_User_function* function, int commute, MPI_Op* op) {
  static Function f("PMPI_Op_create");
  return call(f, plain(Operations::of(function, "an operation of more than 256 functions")), plain(commute),
              handle_out(op));
}

int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function* function, MPI_Errhandler* made) {
  static Function f("PMPI_Comm_create_errhandler");
  return Handler<MPI_Comm>::create(function, made, f, "an error handler of more than 64 functions");
}

int PMPI_Errhandler_create(MPI_Comm_errhandler_function* function, MPI_Errhandler* made) {
  return PMPI_Comm_create_errhandler(function, made);
}

int PMPI_Win_create_errhandler(MPI_Win_errhandler_function* function, MPI_Errhandler* made) {
  static Function f("PMPI_Win_create_errhandler");
  return Handler<MPI_Win>::create(function, made, f, "an error handler of more than 64 functions");
}

int PMPI_File_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* made) {
  static Function f("PMPI_File_create_errhandler");
  return Handler<MPI_File>::create(function, made, f, "an error handler of more than 64 functions");
}

int PMPI_Comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* erase, int* keyval,
                            void* extra) {
  static Function f("PMPI_Comm_create_keyval");
  return Key<MPI_Comm>::create(f, copy, erase, keyval, extra);
}

int PMPI_Keyval_create(MPI_Copy_function* copy, MPI_Delete_function* erase, int* keyval, void* extra) {
  return PMPI_Comm_create_keyval(copy, erase, keyval, extra);
}

int PMPI_Win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* erase, int* keyval,
                           void* extra) {
  static Function f("PMPI_Win_create_keyval");
  return Key<MPI_Win>::create(f, copy, erase, keyval, extra);
}

int PMPI_Type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* erase, int* keyval,
                            void* extra) {
  static Function f("PMPI_Type_create_keyval");
  return Key<MPI_Datatype>::create(f, copy, erase, keyval, extra);
}

int PMPI_Grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                        MPI_Grequest_cancel_function* cancel, void* state, MPI_Request* request) {
  static Function f("PMPI_Grequest_start");
  return call(f, plain(General::call_query), plain(General::call_free), plain(General::call_cancel),
              plain(static_cast<void*>(new General{query, free, cancel, state})), handle_out(request));
}

#define ATTRIBUTE_FUNCTIONS(name, Object)                                                                           \
  int OMPI_C_MPI_##name##NULL_COPY_FN(Object, int, void*, void*, void*, int* flag) { return copies_nothing(flag); } \
  int OMPI_C_MPI_##name##DUP_FN(Object, int, void*, void* value, void* copied, int* flag) {                         \
    return copies_value(value, copied, flag);                                                                       \
  }                                                                                                                 \
  int OMPI_C_MPI_##name##NULL_DELETE_FN(Object, int, void*, void*) { return MPI_SUCCESS; }
ATTRIBUTE_FUNCTIONS(COMM_, MPI_Comm)
ATTRIBUTE_FUNCTIONS(TYPE_, MPI_Datatype)
ATTRIBUTE_FUNCTIONS(WIN_, MPI_Win)
ATTRIBUTE_FUNCTIONS(, MPI_Comm)

}  // extern "C"
