/// Particles that wander through the cells of a ring and from rank to rank, kept in all kinds of what C++ offers:
/// containers, objects with virtual bases, shared and weak pointers, functions with captures, exceptions that are kept,
/// streams that stay open, objects of the thread, static objects that end after main().
///
/// A step reads a line of input, moves the particles, passes those that have left the own cells on to the ranks that
/// own theirs, and writes a line to the log. In the end rank 0 gets all particles and computes again, by itself, where
/// each has to be; every rank reads its log.
#include <algorithm>
#include <any>
#include <deque>
#include <exception>
#include <fstream>
#include <functional>
#include <iostream>
#include <list>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "app.hpp"
#include "particles_model.hpp"

namespace particles {
namespace {

constexpr char kHelp[] =
    "Usage: particles [--steps S] [--log FILE] [--hold FILE --hold-at K]\n"
    "Moves particles around a ring of cells and from rank to rank, and checks all of them.\n"
    "  --steps S    time steps (200)\n"
    "  --log FILE   every rank writes a line per step to FILE.RANK (in a temporary directory, and removed in the end)\n"
    "  --hold FILE  at step K (--hold-at K, or several, as 3,7) wait until FILE exists, and remove it\n"
    "Exit status: 0 right, 1 wrong, 2 wrong usage.\n"
    "Example:\n"
    "  mpirun -n 4 particles --steps 1000\n";

constexpr std::int64_t kParticles = 3000;
constexpr std::size_t kHistory = 16;
constexpr int kCountTag = 1;
constexpr int kRecordTag = 2;

// ---- Objects that outlive main() or belong to the thread ----

/// Says at the end of the process how many steps it saw.
class Farewell {
 public:
  explicit Farewell(bool speaks) : speaks_(speaks) {}
  Farewell(const Farewell&) = delete;
  Farewell& operator=(const Farewell&) = delete;
  ~Farewell() {
    if (speaks_) std::cout << "particles: " << steps_ << " steps " << word_ << std::endl;
  }
  void step() { ++steps_; }

 private:
  bool speaks_;
  long steps_ = 0;
  std::string word_ = "seen by an object that ends after main()";
};

Farewell& farewell() {
  static Farewell object(app::rank_of(MPI_COMM_WORLD) == 0);
  return object;
}

thread_local std::vector<std::int64_t> passed_by_step;
thread_local std::string thread_name = "the only thread of the program";

// ---- The particles of a rank ----

template <typename Key, typename Value>
class Index {
 public:
  void add(const Key& key, const std::shared_ptr<Value>& value) { entries_[key] = value; }
  void remove(const Key& key) { entries_.erase(key); }
  [[nodiscard]] std::shared_ptr<Value> find(const Key& key) const {
    const auto found = entries_.find(key);
    return found != entries_.end() ? found->second.lock() : nullptr;
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  std::unordered_map<Key, std::weak_ptr<Value>> entries_;
};

using Note = std::variant<std::int64_t, double, std::string>;

class Domain {
 public:
  Domain() : rank_(app::rank_of(MPI_COMM_WORLD)), ranks_(app::ranks_of(MPI_COMM_WORLD)) {
    for (std::int64_t id = 0; id < kParticles; ++id) {
      if (const Record record = first_record(id); owner(record.position / kCellLength) == rank_) add(make(record));
    }
  }
  [[nodiscard]] int owner(std::int64_t cell) const { return static_cast<int>(cell * ranks_ / kCells); }
  [[nodiscard]] const std::list<std::shared_ptr<Particle>>& particles() const { return particles_; }

  void for_each(const std::function<void(Particle&)>& rule) {
    for (const auto& particle : particles_) rule(*particle);
  }

  /// Passes on those that have left. Returns how many went.
  std::size_t migrate() {
    std::map<int, std::vector<Record>> leaving;
    for (auto next = particles_.begin(); next != particles_.end();) {
      const int target = owner((*next)->cell());
      if (target == rank_) {
        ++next;
        continue;
      }
      leaving[target].push_back((*next)->record());
      index_.remove((*next)->id());
      next = particles_.erase(next);
    }
    const std::size_t gone = std::accumulate(leaving.begin(), leaving.end(), std::size_t{0},
                                             [](std::size_t sum, const auto& one) { return sum + one.second.size(); });
    exchange(leaving);
    particles_.sort([](const auto& a, const auto& b) { return a->id() < b->id(); });
    return gone;
  }

  /// How much the indexes and the particles disagree.
  [[nodiscard]] long inconsistencies() const {
    std::set<std::int64_t> ids;
    long wrong = 0;
    for (const auto& particle : particles_) {
      wrong += index_.find(particle->id()) != particle;
      wrong += owner(particle->cell()) != rank_;
      ids.insert(particle->id());
    }
    return wrong + (ids.size() != particles_.size()) + (index_.size() != particles_.size());
  }

 private:
  void add(std::shared_ptr<Particle> particle) {
    index_.add(particle->id(), particle);
    particles_.push_back(std::move(particle));
  }

  void exchange(std::map<int, std::vector<Record>>& leaving) {
    std::vector<int> outgoing(static_cast<std::size_t>(ranks_));
    std::vector<int> incoming(outgoing.size());
    std::vector<MPI_Request> requests;
    for (int other = 0; other < ranks_; ++other) {
      if (other == rank_) continue;
      const auto at = static_cast<std::size_t>(other);
      outgoing[at] = static_cast<int>(leaving[other].size() * sizeof(Record));
      MPI_Irecv(&incoming[at], 1, MPI_INT, other, kCountTag, MPI_COMM_WORLD, &requests.emplace_back());
      MPI_Isend(&outgoing[at], 1, MPI_INT, other, kCountTag, MPI_COMM_WORLD, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
    std::vector<std::unique_ptr<Record[]>> arriving(incoming.size());
    for (int other = 0; other < ranks_; ++other) {
      const auto at = static_cast<std::size_t>(other);
      if (incoming[at] > 0) {
        arriving[at] = std::make_unique<Record[]>(static_cast<std::size_t>(incoming[at]) / sizeof(Record));
        MPI_Irecv(arriving[at].get(), incoming[at], MPI_BYTE, other, kRecordTag, MPI_COMM_WORLD,
                  &requests.emplace_back());
      }
      if (outgoing[at] > 0) {
        MPI_Isend(leaving[other].data(), outgoing[at], MPI_BYTE, other, kRecordTag, MPI_COMM_WORLD,
                  &requests.emplace_back());
      }
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (std::size_t from = 0; from < arriving.size(); ++from) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(incoming[from]) / sizeof(Record); ++i) {
        add(make(arriving[from][i]));
      }
    }
  }

  int rank_, ranks_;
  std::list<std::shared_ptr<Particle>> particles_;
  Index<std::int64_t, Particle> index_;
};

// ---- The run ----

class Run {
 public:
  Run(const app::Options& options, std::string path)
      : options_(options), path_(std::move(path)), rank_(app::rank_of(MPI_COMM_WORLD)) {
    std::ofstream prepared(path_ + ".in");
    for (long step = 0; step < options_.steps; ++step) prepared << "line " << step << ' ' << step * step % 101 << '\n';
    prepared.close();
    input_.open(path_ + ".in");
    log_.open(path_);
    note_ = std::string("nothing yet");
    rules_.emplace_back([this](Particle& particle) { particle.move(weather_); });
    rules_.emplace_back([&mixed = mixed_, this](Particle& particle) {
      particle.mix(input_number_);
      ++mixed;
    });
  }

  void step(long number) {
    farewell().step();
    read_line(number);
    weather_ = sky_.next();
    for (const auto& rule : rules_) domain_.for_each(rule);
    moved_.push_back(static_cast<std::int64_t>(domain_.migrate()));
    if (moved_.size() > kHistory) moved_.pop_front();
    passed_by_step.push_back(moved_.back());
    watch(number);
    note(number);
    write_line(number);
    wrong_ += domain_.inconsistencies();
  }

  [[nodiscard]] long wrong() const { return wrong_; }
  [[nodiscard]] const Domain& domain() const { return domain_; }

  /// Of what was kept over the steps besides the particles.
  [[nodiscard]] std::uint64_t digest() const {
    std::uint64_t digest = digest_word(DIGEST_START, static_cast<std::uint64_t>(mixed_));
    for (const std::int64_t count : passed_by_step) digest = digest_word(digest, static_cast<std::uint64_t>(count));
    for (const char letter : summary_.str() + thread_name) digest = digest_word(digest, static_cast<unsigned>(letter));
    return digest;
  }

  /// Whether the log holds a line for each step, with the right contents.
  [[nodiscard]] bool log_is_right() {
    log_.close();
    std::ifstream written(path_);
    std::string line;
    for (const std::string& expected : lines_) {
      if (!std::getline(written, line) || line != expected) return false;
    }
    return !std::getline(written, line);
  }

 private:
  void read_line(long number) {
    std::string word;
    long step = -1;
    input_ >> word >> step >> input_number_;
    wrong_ += word != "line" || step != number || input_number_ != number * number % 101;
  }

  /// Storms are thrown, kept for three steps, and then thrown again.
  void watch(long number) {
    try {
      try {
        if (weather_.wind > 100 || weather_.wind < -100) throw Storm(number, weather_.wind);
      } catch (const Storm& storm) {
        const long everywhere = app::sum_of(storm.wind());  // a step ends within the handler
        wrong_ += everywhere != storm.wind() * app::ranks_of(MPI_COMM_WORLD);
        storms_.emplace_back(number + 3, std::current_exception());
        throw;
      }
    } catch (const std::runtime_error& error) {
      MPI_Barrier(MPI_COMM_WORLD);
      summary_ << error.what() << ';';
    }
    while (!storms_.empty() && storms_.front().first == number) {
      try {
        std::rethrow_exception(storms_.front().second);
      } catch (const Storm& storm) {
        wrong_ += storm.step() != number - 3;
        summary_ << "over:" << std::hex << storm.wind() << std::dec << ';';
      }
      storms_.erase(storms_.begin());
    }
  }

  /// Of a different type in each step.
  void note(long number) {
    summary_ << std::visit(
                    [](const auto& value) {
                      std::ostringstream text;
                      text << value;
                      return text.str();
                    },
                    note_)
             << ';';
    if (number % 3 == 0) note_ = input_number_;
    if (number % 3 == 1) note_ = weather_.angle;
    if (number % 3 == 2) note_ = "wind " + std::to_string(weather_.wind);
    if (const auto* last = std::any_cast<std::pair<long, std::string>>(&last_)) {
      wrong_ += last->first != number - 1 || last->second != "step " + std::to_string(number - 1) + " is over";
    } else {
      wrong_ += number != 0;
    }
    last_ = std::make_pair(number, "step " + std::to_string(number) + " is over");
  }

  void write_line(long number) {
    std::int64_t colours = 0;
    std::map<std::string, int> kinds;
    for (const auto& particle : domain_.particles()) {
      colours += particle->colour();
      ++kinds[particle->kind()];
    }
    std::ostringstream line;
    line << number << ' ' << colours << ' ' << moved_.back();
    for (const auto& [kind, count] : kinds) line << ' ' << kind << ' ' << count;
    lines_.push_back(line.str());
    log_ << line.str() << '\n';
  }

  app::Options options_;
  std::string path_;
  int rank_;
  Domain domain_;
  Sky sky_;
  Weather weather_{};
  std::ofstream log_;
  std::ifstream input_;
  std::int64_t input_number_ = 0;
  std::int64_t mixed_ = 0;
  std::vector<std::function<void(Particle&)>> rules_;
  std::deque<std::int64_t> moved_;
  std::vector<std::pair<long, std::exception_ptr>> storms_;
  std::vector<std::string> lines_;
  std::ostringstream summary_;
  Note note_;
  std::any last_;
  long wrong_ = 0;
};

// ---- The check ----

std::vector<Record> gather(const Domain& domain) {
  std::vector<Record> own;
  for (const auto& particle : domain.particles()) own.push_back(particle->record());
  int bytes = static_cast<int>(own.size() * sizeof(Record));
  std::vector<int> counts(static_cast<std::size_t>(app::ranks_of(MPI_COMM_WORLD)));
  MPI_Allgather(&bytes, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  std::vector<Record> all(static_cast<std::size_t>(places.back() + counts.back()) / sizeof(Record));
  MPI_Allgatherv(own.data(), bytes, MPI_BYTE, all.data(), counts.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
  std::ranges::sort(all, {}, &Record::id);
  return all;
}

/// How many particles are not as they would be if one rank had moved all.
long differences(const std::vector<Record>& found, long steps) {
  if (found.size() != kParticles) return kParticles;
  Sky sky;
  std::vector<Weather> weather;
  for (long step = 0; step < steps; ++step) weather.push_back(sky.next());
  long wrong = 0;
  for (std::int64_t id = 0; id < kParticles; ++id) {
    const auto particle = make(first_record(id));
    for (long step = 0; step < steps; ++step) {
      particle->move(weather[static_cast<std::size_t>(step)]);
      particle->mix(step * step % 101);
    }
    const Record expected = particle->record();
    const Record& is = found[static_cast<std::size_t>(id)];
    wrong += is.id != id || is.position != expected.position || is.colour != expected.colour ||
             is.age != expected.age || is.real != expected.real || is.imaginary != expected.imaginary;
  }
  return wrong;
}

int run(const app::Options& options) {
  const int rank = app::rank_of(MPI_COMM_WORLD);
  const std::string base = options.file != nullptr ? options.file : app::temporary_path("particles");
  const std::string path = base + "." + std::to_string(rank);
  const auto run = std::make_unique<Run>(options, path);
  for (long step = 0; step < options.steps; ++step) {
    hold_at(&options.hold, rank, step);
    run->step(step);
  }
  const std::vector<Record> all = gather(run->domain());
  const long lost = app::sum_of(rank == 0 ? differences(all, options.steps) : 0);
  const long unlogged = app::sum_of(run->log_is_right() ? 0 : 1);
  const long wrong = app::sum_of(run->wrong());
  std::filesystem::remove(path + ".in");
  if (options.file == nullptr) std::filesystem::remove(path);
  return tell("particles", digest_ranks(run->digest(), MPI_COMM_WORLD), lost + unlogged + wrong == 0,
              "%ld particles are wrong, %ld logs, and %ld things within the steps", lost, unlogged, wrong);
}

}  // namespace
}  // namespace particles

int main(int argc, char** argv) {
  const app::Options options = app::read_options(argc, argv, 200, 1000000000, "log");
  MPI_Init(&argc, &argv);
  const int status =
      ends_here(&options.usage) ? explain(&options.usage, "particles", particles::kHelp) : particles::run(options);
  MPI_Finalize();
  return status;
}
