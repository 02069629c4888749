#include "lower.hpp"

#include <algorithm>
#include <set>

#include "ir/renumber.hpp"
#include "lower_objects.hpp"
#include "lower_procedure.hpp"
#include "pointers.hpp"

namespace cppc::fortran {

namespace {

bool has_other_parts(const Program& tree, const models::Models& models) {
  return tree.lacks_code() || std::ranges::any_of(tree.procedures, [&](const Procedure& procedure) {
           return !procedure.defined && models.find(procedure.linker_name) == nullptr &&
                  !models::is_of_mpi(procedure.linker_name) && !is_of_runtime(procedure.linker_name);
         });
}

}  // namespace

bool is_of_runtime(const std::string& linker_name) {
  static const std::set<std::string> names = {
      "getarg_", "iargc_",  "getenv_", "etime_",  "dtime_",  "second_", "flush_", "time_",   "ctime_",
      "fdate_",  "idate_",  "itime_",  "date_",   "rand_",   "irand_",  "srand_", "getcwd_", "hostnm_",
      "getpid_", "isatty_", "sleep_",  "mclock_", "secnds_", "ftell_",  "fseek_", "access_", "lnblnk_"};
  return names.contains(linker_name);
}

Lowered lower(const Program& tree, const models::Models& models) {
  Lowered lowered;
  ir::Program& program = lowered.program;
  program.by_address = true;
  program.unclear = tree.unclear;
  program.unknown = program.add({.storage = ir::Storage::unknown, .address_taken = true}, "(outside)", {});
  program.elsewhere = 0;
  program.functions.push_back({.name = "(a procedure outside)"});
  program.text = program.add({.storage = ir::Storage::text, .address_taken = true}, "(text)", {});
  program.nowhere = program.add({.storage = ir::Storage::text, .address_taken = true}, "(nowhere)", {});
  Objects objects(tree, program);
  for (const Procedure& procedure : tree.procedures) {
    const std::string& name = procedure.linker_name.empty() ? procedure.name : procedure.linker_name;
    program.functions.push_back({.name = name, .defined = procedure.defined});
  }
  for (Index p = 0; p < tree.procedures.size(); ++p)
    if (tree.procedures[p].defined) lower_procedure(tree, objects, lowered, p);
  for (const Index bound : tree.bound)
    if (bound != none && tree.procedures[bound].defined) objects.escape(objects.of_function(bound));
  if (has_other_parts(tree, models)) {
    for (Index symbol = 0; symbol < tree.symbols.size(); ++symbol)
      if (named_outside(tree, tree.symbols[symbol].linker_name)) objects.escape(objects.of(symbol));
    for (Index p = 0; p < tree.procedures.size(); ++p) {
      const Procedure& procedure = tree.procedures[p];
      if (procedure.defined && !procedure.is_main && named_outside(tree, procedure.linker_name))
        objects.escape(objects.of_function(p));
    }
  }
  ir::put_objects_first(program);
  return lowered;
}

}  // namespace cppc::fortran
