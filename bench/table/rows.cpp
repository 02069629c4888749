#include "rows.hpp"

#include <utility>

#include "text.hpp"

namespace cppc::bench {
namespace {

using Rows = std::vector<Row>;

std::string milliseconds(const Json& value) { return text(value) + " ms"; }

std::string spread(const Json& value) {
  return text(value.at("median")) + ", " + text(value.at("p95")) + ", " + text(value.at("max")) + " ms";
}

std::string descriptors(const Json& value) {
  return value.get<double>() <= 0 ? "no descriptor" : text(value) + " descriptors";
}

/// What a small block may cost in memory or on the way, and in time, when state is kept by address.
constexpr double kBytesOfBlock = 64, kNanosecondsOfBlock = 100;

/// Messages that the busiest agent receives in an agreement, of however many ranks.
constexpr double kMostReceived = 400;

/// Communicators that a process makes, one after the other, when one node of eight is left, with one rank on each and
/// with eight.
constexpr double kMostRounds = 6, kMostRoundsOf64 = 13;

/// MB by which an agent grows in a migration: Open MPI's tables of jobs (docs/open-mpi.md).
constexpr double kGrowthOfAgent = 0.1;

/// How long ranks may stand still for a checkpoint, next to the copying of their images.
constexpr double kDowntimeByCopy = 1.2;

Rows migrate(const Json& f) {
  const Json& languages = f.at("by_language");
  const std::string same = f.at("bitwise_equal") ? "bit for bit the undisturbed one" : "NOT the undisturbed one";
  return {
      {"four ranks on three nodes, two grids of 64 MB each, `heat` in C: " + text(f.at("migrations")) +
           " migrations, an evacuation and a power-off: lost, result",
       text(f.at("lost")) + ", " + same},
      {"downtime of each of the four ranks, moved or not, from its own stop until it goes on: median, 95 %, longest",
       spread(f.at("downtime_ms"))},
      {"the same when the program does not sleep 20 ms in each step: four ranks that wait by polling, two cores",
       spread(f.at("no_sleep").at("downtime_ms"))},
      {"from when the last rank has stopped until the last goes on (median), in C (`heat`), C++ (`wave`) and Fortran "
       "(`wave_f90`); in C the grid that is computed anew stays out of the image",
       text(languages.at("c")) + ", " + text(languages.at("cpp")) + ", " + text(languages.at("fortran")) + " ms"},
      {"of these to rebuild all communicators (median)", milliseconds(f.at("rebuild_ms_median"))},
      {"request until the replacement works; until the old process is gone (medians)",
       milliseconds(f.at("response_ms_median")) + "; " + milliseconds(f.at("evacuation_ms_median"))},
      {"the whole job goes on under another `mpirun` when a node comes back that was evacuated (`migrate --restore`): "
       "from when the last rank has stopped until all work again; likewise for the evacuation before it (medians)",
       f.contains("relocation") ? milliseconds(f.at("relocation").at("frozen_ms_median")) + "; " +
                                      milliseconds(f.at("relocation").at("evacuation_frozen_ms_median"))
                                : "not recorded"},
      {"growth of the largest process, a rank or an agent",
       descriptors(f.at("fds_grown")) + ", " + text(f.at("rss_grown_mb")) + " MB"}};
}

Rows response(const Json& f) {
  return {
      {"four ranks on three nodes: request until the replacement works, at the most: steps of milliseconds (`heat`); "
       "ranks without a collective operation in common; 30 s of computing between two calls; the same of one rank, for "
       "which the others wait in a collective operation; `heat` that is just being started",
       text(f.at("heat_s")) + ", " + text(f.at("no_world_s")) + ", " + text(f.at("long_compute_s")) + ", " +
           text(f.at("late_rank_s")) + ", " + (f.contains("at_start_s") ? text(f.at("at_start_s")) : "not recorded") +
           " s"}};
}

/// Of ranks with so much state.
Row checkpoint_downtime(const Json& f) {
  return {"a checkpoint of `heat`, four ranks of " + text(f.at("mb_per_rank")) +
              " MB: a rank stands still; of that, from when the last has stopped; copying as many bytes, four "
              "processes at a time (medians)",
          text(f.at("downtime_ms")) + " ms; " + text(f.at("frozen_ms")) + " ms; " + text(f.at("memcpy_ms")) + " ms"};
}

/// Why there is no figure, if there is none.
std::string compared_with(const Json& f, const char* other) {
  if (!f.at(other).is_null())
    return text(f.at(other).at("downtime_ms")) + " ms, " + text(f.at(other).at("disk_gbs")) + " GB/s, " +
           text(f.at(other).at("image_mb")) + " MB";
  return "not measured" + (f.contains("not_compared") ? ": " + f.at("not_compared").at(other).get<std::string>() : "");
}

Rows checkpoint(const Json& f) {
  const std::string mb = text(f.at("mb_per_rank"));
  return {
      checkpoint_downtime(f),
      checkpoint_downtime(f.at("large")),
      {"a checkpoint of `heat`, four ranks of " + mb +
           " MB on two nodes: from the request until all is on storage; `dd` of as many bytes; the program's longer "
           "run with a checkpoint a minute",
       text(f.at("disk_gbs")) + " GB/s; " + text(f.at("dd_gbs")) + " GB/s; " + text(f.at("overhead_percent")) + " %"},
      {"likewise, from the request until all is in the memory of two nodes (`--protect partner`); of four nodes, "
       "with a parity for each three images (`rs:3+1`)",
       text(f.at("partner_gbs")) + " GB/s; " + text(f.at("rs_gbs")) + " GB/s"},
      {"likewise, with DMTCP on one node, not compressed: a rank stands still, images are written, size of all images; "
       "with SCR or VeloC",
       compared_with(f, "dmtcp") + "; " + compared_with(f, "scr_or_veloc")}};
}

Rows recover(const Json& f) {
  return {{text(f.at("losses")) +
               " nodes powered off under `heat` and `cg`, four ranks on four nodes and a spare: recovered, wrong "
               "results; work lost; from the loss until all ranks work again; that less what starting the same job had "
               "taken (medians); the longest of the latter",
           text(f.at("recovered")) + ", " + text(f.at("wrong_results")) + "; " + text(f.at("lost_work_s_median")) +
               " s; " + text(f.at("down_s_median")) + " s; " + text(f.at("down_beyond_start_s_median")) + " s; " +
               newer(f, "down_beyond_start_s_max", " s")}};
}

Rows drain(const Json& f) {
  return {
      {text(f.at("jobs")) +
           " jobs of two users under Slurm, `heat` of two ranks of 16 MB each, on three nodes of which one fails its "
           "health check: from when `cppc-health` knows until the node is empty and out of the jobs; the longest "
           "evacuation in that",
       text(f.at("empty_s_median")) + " s; " + text(f.at("evacuation_s_median")) + " s"},
      {"from the fault until Slurm calls the node drained (its check runs every 2 s, `cppc-health` asks every 5 s); "
       "jobs lost",
       text(f.at("drained_s_median")) + " s; " + text(f.at("lost"))}};
}

Rows faults(const Json& f) {
  return {{text(f.at("cases")) + " faults, one at each step of an operation on `heat` of four ranks, " +
               text(f.at("struck")) + " struck: undone, committed, ended as it must, recovered",
           text(f.at("rolled_back")) + ", " + text(f.at("committed")) + ", " + text(f.at("ended_expected")) + ", " +
               text(f.at("recovered"))},
          {"the job lost although it need not be, wrong result, left behind, no second migration",
           text(f.at("lost")) + ", " + text(f.at("wrong_results")) + ", " + text(f.at("leftovers")) + ", " +
               text(f.at("retry_failed"))},
          {"from the request to the answer, at the most (a target that vanishes is noticed after half a minute)",
           text(f.at("recovery_s_max")) + " s"}};
}

Rows soak(const Json& f) {
  return {
      {text(f.at("migrations")) + " migrations of each of two jobs of four ranks (`heat`, `storm`) at the same time, "
                                  "evacuations and power-offs in between: lost, wrong result",
       text(f.at("lost")) + ", " + text(f.at("wrong_results"))},
      {"growth of the largest rank; of an agent, by Open MPI's tables; of the latter for each migration",
       descriptors(f.at("fds_grown")) + ", " + text(f.at("rss_grown_mb")) + " MB; " + text(f.at("agent_rss_grown_mb")) +
           " MB; " + text(1000 * f.at("agent_rss_grown_mb").get<double>() / f.at("migrations").get<double>()) + " KB"}};
}

Rows ship(const Json& f) {
  const Json& sizes = f.at("sizes");
  Json paper = Json::array(), memory = Json::array();
  for (const Json& one : sizes) {
    if (one.contains("ratio_paper_way_to_raw"))
      paper.push_back(one.at("ratio_paper_way_to_raw").get<double>() / one.at("ratio_to_raw").get<double>());
    memory.push_back(one.at("sender_extra_mb"));
    memory.push_back(one.at("receiver_extra_mb"));
  }
  const auto most = [](const Json& by_number) { return std::pair{by_number.items().begin().key(), by_number.back()}; };
  const auto blocks = [&](const char* nanoseconds, const char* places) {
    const auto [number, time] = most(f.at(nanoseconds));
    const Json& bytes = f.at(places).back();
    return text(time) + " ns; " + text(bytes.at("sent")) + ", " + text(bytes.at("source")) + ", " +
           text(bytes.at("replacement")) + " bytes";
  };
  const std::string state = "a state of " + keys(sizes) + " MB and 10,000 small objects";
  return {{state + ", built, sent from one process to another, which are ranks of one MPI job on two emulated nodes "
                   "(`bench-ship-peer`), checked and in place, against its bare bytes by TCP",
           numbers(sizes, "ratio_to_raw") + " times as long"},
          {state + " between two ranks, likewise: against the same bytes by libfabric in pieces of 4 MiB; in pieces as "
                   "small as ours, unchecked",
           numbers(sizes, "ratio_to_fabric") + "; " + numbers(sizes, "ratio_to_fabric_small")},
          {state + " between two ranks, likewise: against the paper's way: HDF5's core driver, a file image, MPI",
           paper.empty() ? "no memory for it" : range(paper) + " times as fast"},
          {state + " between two ranks, likewise: memory beside the state, at each end", range(memory) + " MB"},
          {"a state of 256 MB, of 1,024 MB between two ranks, likewise: share of a line of 1 Gbit/s, of 10 Gbit/s",
           text(f.at("line_1gbit")) + ", " + text(f.at("line_10gbit"))},
          {"one rank of two (`bench/ship/blocks.c`) with " + keys(f.at("blocks")) +
               " blocks of 48 bytes, saved, sent and restored, by address: ns a block "
               "more than the same bytes in one",
           numbers(f.at("blocks")) + " ns"},
          {"of the most of these blocks: time; sent, memory of the old process, of the new one, a block",
           blocks("blocks", "block_bytes_by_place")},
          {"the same program by type (`--portable`), " + keys(f.at("blocks_portable")) + " blocks: ns a block",
           numbers(f.at("blocks_portable")) + " ns"},
          {"of the most of these blocks: time; sent, memory of the old process, of the new one, a block",
           blocks("blocks_portable", "block_bytes_by_place_portable")}};
}

Rows overhead(const Json& f) {
  return {
      {"processor time of " + text(static_cast<double>(f.at("ratio").size())) +
           " programs of `tests/apps` that can be moved, four ranks on one node, under `cppc-run`, against the same "
           "under `mpirun`, no migration: median; worst",
       text(f.at("median")) + "; " + text(f.at("worst"))}};
}

Rows image_size(const Json& f) {
  const double share = f.at("saved_mb").at("heat").get<double>() / f.at("reachable_mb").at("heat").get<double>();
  Rows rows{{"how much of the memory of `heat`, one rank, goes into the image: the grid that is read",
             text(100 * share) + " %"}};
  if (!f.contains("ratio")) return rows;
  const Json& ratios = f.at("ratio");
  std::string programs, figures;
  for (const char* program : {"cg_f90", "mg_f90", "ft_f90", "ft_f77", "ep_f90", "adi_f77", "is"}) {
    if (!ratios.contains(program)) continue;
    programs += (programs.empty() ? "`" : ", `") + std::string(program) + "`";
    figures += (figures.empty() ? "" : ", ") + times(ratios.at(program));
  }
  rows.push_back(
      {"one rank of each of these programs of `tests/apps`: its image against what one would save by hand at "
       "the place where it is made: " +
           programs,
       figures});
  if (f.contains("npb"))
    rows.push_back({"of NPB, class A, four ranks: " + names(f.at("npb").at("ratio")),
                    list(f.at("npb").at("ratio"), [](const std::string&, const Json& r) { return times(r); })});
  return rows;
}

Rows malloc(const Json& f) {
  const Json& r = f.at("ratio_to_glibc");
  const auto pair = [&](const std::string& work) { return text(r.at(work + "_1")) + ", " + text(r.at(work + "_4")); };
  return {
      {"the heap of a program whose state is kept by address, against glibc's, one process (`bench/malloc_calls.c`) of "
       "one thread and of four: 48 bytes and "
       "back; blocks of 16 to 256 bytes; of 1 to 60 KB",
       pair("pairs") + "; " + pair("churn_small") + "; " + pair("churn_large") + " of the time"}};
}

Rows check(const Json& f) {
  return {
      {"one process without MPI (one thread) that looks through a rank's state for what cannot go along: numbers, "
       "addresses; `memcpy`",
       text(f.at("numbers_gb_s")) + ", " + text(f.at("addresses_gb_s")) + " GB/s; " + text(f.at("memcpy_gb_s")) +
           " GB/s"}};
}

Rows interpose(const Json& f) {
  const Json& ns = f.at("ns");
  const Json& trips = f.at("pingpong_ratio");
  const auto percent = [](const Json& ratio) { return text(100 * (ratio.get<double>() - 1)) + " %"; };
  return {
      {"what `libcppc` adds, two ranks on one node: to `MPI_Comm_rank`, to a non-blocking message to oneself, to an "
       "`MPI_Allreduce` of one rank; to a message of 8 bytes, of 64 KB, there and back",
       text(ns.at("comm_rank")) + ", " + text(ns.at("isend_irecv_wait")) + ", " + text(ns.at("allreduce")) + " ns; " +
           percent(trips.at("8")) + ", " + percent(trips.at("65536"))}};
}

Rows scale(const Json& f) {
  const Json& rebuild = f.at("rebuild");
  return {{"the agreement simulated with " + keys(f.at("migration_point").at("received_max")) +
               " ranks, 32 a node: messages that the busiest agent receives, on a safe point",
           numbers(f.at("migration_point").at("received_max"))},
          {"on a cut at any call", numbers(f.at("cut").at("received_max"))},
          {"communicators that a process of `heat` makes, one after the other, when one node of eight is evacuated to "
           "the others; " +
               keys(rebuild) + " ranks",
           numbers(rebuild, "rounds")},
          {"messages of all processes for that, Open MPI's own included; of the busiest",
           numbers(rebuild, "messages") + "; " + numbers(rebuild, "messages_max")},
          {"time for that, on this machine", numbers(rebuild, "ms") + " ms"}};
}

Rows controller(const Json& f) {
  return {{"one `cppc-run` with " + text(f.at("agents")) + " simulated agents and " + text(f.at("ranks")) +
               " ranks: descriptors; a status; the plan of an evacuation, for which all agents are asked",
           text(f.at("descriptors")) + "; " + text(f.at("status_s")) + " s; " + text(f.at("plan_s")) + " s"}};
}

Rows safepoint(const Json& f) { return {{"a safe point when nobody asks, one rank", text(f.at("ns")) + " ns"}}; }

Rows translate(const Json& f) {
  const Json& seconds = f.at("seconds");
  Rows rows{{"one process of `cppc` that translates " + keys(seconds) + " lines of C", numbers(seconds) + " s"}};
  for (const char* language : {"Fortran", "C++"}) {
    if (!f.contains(language)) continue;
    const Json& one = f.at(language);
    rows.push_back({text(one.at("lines")) + " lines of " + language + ", beside the compiler's own -O2: time; memory",
                    text(one.at("seconds")) + ", " + text(one.at("compiler_seconds")) + " s; " + text(one.at("mb")) +
                        ", " + text(one.at("compiler_mb")) + " MB"});
  }
  return rows;
}

Rows agents(const Json& f) {
  return {{"processor time of an idle agent and its guardian, at the most; `heat`, four ranks on three nodes",
           text(f.at("cpu_percent_max")) + " % of a core"}};
}

}  // namespace

const std::vector<BenchRows>& benches() {
  static const std::vector<std::string> kJob{"cppc-runtime", "hdf5-writer", "migration", "negotiation", "tools/run"};
  static const std::vector<std::string> kCheckpoints{"cppc-runtime", "hdf5-writer",      "migration",
                                                     "tools/run",    "tools/checkpoint", "tools/keeper"};
  static const std::vector<BenchRows> all{
      {"migrate",
       kJob,
       {"/frozen_ms_median", "/frozen_ms_max", "/relocation"},
       {{"/lost", 0.0}, {"/fds_grown", 0.0}},
       {},
       migrate},
      {"response", kJob, {}, {}, {}, response},
      {"checkpoint",
       kCheckpoints,
       {"/checkpoints", "/not_compared"},
       {},
       {{"/downtime_ratio_memcpy", kDowntimeByCopy},
        {"/large/downtime_ratio_memcpy", kDowntimeByCopy},
        {"/overhead_percent", 1.0}},
       checkpoint},
      {"recover",
       kCheckpoints,
       {"/start_s_median", "/down_beyond_start_s_max"},
       {{"/losses", "/recovered"}, {"/wrong_results", 0.0}},
       {{"/down_beyond_start_s_max", 3.0}},
       recover},
      {"drain",
       {"migration", "tools/health", "tools/migrate", "tools/run", "tools/slurm"},
       {"/noticed_s_median"},
       {{"/lost", 0.0}},
       {},
       drain},
      {"faults",
       kJob,
       {"/last_images"},
       {{"/cases", "/struck"},
        {"/recovered_expected", "/recovered"},
        {"/lost", 0.0},
        {"/unexpected", 0.0},
        {"/wrong_results", 0.0},
        {"/leftovers", 0.0},
        {"/retry_failed", 0.0},
        {"/images_missing", 0.0}},
       {},
       faults},
      {"soak",
       kJob,
       {"/jobs", "/hours"},
       {{"/lost", 0.0}, {"/wrong_results", 0.0}, {"/fds_grown", 0.0}},
       {{"/agent_rss_grown_mb", kGrowthOfAgent, "/migrations"}},
       soak},
      {"ship",
       {"cppc-runtime", "hdf5-writer", "migration/src/fabric", "migration/src/rank"},
       {"/raw_tcp_gbs", "/block_bytes_portable"},
       {{"/block_bytes", kBytesOfBlock}, {"/block_bytes_by_place", kBytesOfBlock}},
       {{"/blocks", kNanosecondsOfBlock}},
       ship},
      {"overhead", {"compiler", "cppc-runtime", "migration"}, {"/against_defaults"}, {}, {}, overhead},
      {"image-size", {"compiler", "cppc-runtime", "hdf5-writer"}, {"/live_mb", "/ratio"}, {}, {}, image_size},
      {"malloc", {"cppc-runtime/src/address"}, {}, {}, {}, malloc},
      {"check", {"cppc-runtime/src/address"}, {}, {}, {}, check},
      {"interpose", {"cppc-runtime"}, {}, {}, {}, interpose},
      {"scale",
       {"migration", "negotiation"},
       {},
       {{"/received_max", kMostReceived}, {"/rebuild/8/rounds", kMostRounds}},
       {{"/rebuild/64/rounds", kMostRoundsOf64}},
       scale},
      {"controller", {"migration/src/plan", "tools/run"}, {}, {}, {{"/status_s", 1.0}, {"/plan_s", 1.0}}, controller},
      {"safepoint", {"cppc-runtime"}, {}, {}, {}, safepoint},
      {"translate", {"compiler"}, {}, {}, {}, translate},
      {"agents", {"migration/src/agent", "tools/agent"}, {}, {}, {}, agents}};
  return all;
}

}  // namespace cppc::bench
