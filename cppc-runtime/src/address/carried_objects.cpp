#include "address/carried_objects.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <string_view>
#include <utility>

#include "address/elf_object.hpp"
#include "address/object_data.hpp"
#include "address/other_allocator.hpp"
#include "address/places.hpp"
#include "address/process/late_thread_data.hpp"
#include "address/process/owner.hpp"
#include "never_destroyed.hpp"

namespace cppc::address {

namespace {

struct Loaded : ElfObject {
  late_thread_data::Place late = late_thread_data::Place::with_thread;
  bool at_start = false;  ///< of the process
  bool opened = false;    ///< by the program
};

struct Range {
  Address begin;
  Address end;
};

std::vector<Loaded> all_loaded() {
  std::vector<Loaded> loaded;
  for (ElfObject& object : elf_objects()) loaded.push_back({std::move(object)});
  return loaded;
}

/// The state of these belongs to the process.
bool is_the_systems(std::string_view name) {
  static constexpr std::array prefixes = {"libc.so",  "ld-linux",   "libm.so",      "libpthread.so", "libdl.so",
                                          "librt.so", "libutil.so", "libresolv.so", "libanl.so",     "linux-vdso"};
  return std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

/// What these need belongs to them, unless it is a language's runtime.
bool is_of_mpi(std::string_view name) {
  static constexpr std::array prefixes = {"libcppc.so", "libmpi", "libopen-rte", "libopen-pal", "libpmix"};
  return std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

/// MPI's libraries only compute with these: what they remember is the program's.
bool is_a_language(std::string_view name) {
  static constexpr std::array prefixes = {"libstdc++", "libgcc_s", "libgfortran", "libquadmath", "libgomp"};
  return std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

/// As others ask for it: by the name that it gives itself, or that of its file; with a path if it was linked so and has
/// no name of its own.
const Loaded* find(const std::vector<Loaded>& objects, std::string_view wanted) {
  const std::string file = file_name(wanted);
  const auto found = std::ranges::find_if(
      objects, [&](const Loaded& object) { return object.soname == wanted || object.name == file; });
  return found == objects.end() ? nullptr : &*found;
}

/// `from` and all that it needs, where `enter` allows it.
template <class Enter>
void add_closure(const std::vector<Loaded>& objects, const Loaded& from, std::vector<bool>& reached, Enter enter) {
  const auto number = static_cast<std::size_t>(&from - objects.data());
  if (reached[number] || !enter(from)) return;
  reached[number] = true;
  for (const std::string& needed : from.needed)
    if (const Loaded* const object = find(objects, needed)) add_closure(objects, *object, reached, enter);
}

std::vector<bool> of_mpi(const std::vector<Loaded>& objects) {
  std::vector<bool> reached(objects.size());
  for (const Loaded& object : objects)
    if (is_of_mpi(object.name))
      add_closure(objects, object, reached, [](const Loaded& o) { return !is_a_language(o.name); });
  return reached;
}

/// Which of the objects are carried; the executable is the first.
std::vector<bool> choose(const std::vector<Loaded>& objects) {
  std::vector<bool> carried(objects.size());
  const auto not_the_programs = of_mpi(objects);
  const auto is_programs = [&](const Loaded& object) {
    return !is_the_systems(object.name) && !is_an_allocator(object.name) &&
           !not_the_programs[static_cast<std::size_t>(&object - objects.data())];
  };
  add_closure(objects, objects.front(), carried, is_programs);
  for (const Loaded& object : objects)
    if (object.opened && !object.at_start) add_closure(objects, object, carried, is_programs);
  return carried;
}

/// Those that were loaded when the process started, and when the program last opened one.
std::vector<Loaded>& known() {
  static NeverDestroyed<std::vector<Loaded>> objects;
  return *objects;
}

std::vector<Loaded> carried_of(const std::vector<Loaded>& objects) {
  const auto chosen = choose(objects);
  std::vector<Loaded> carried;
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (chosen[i]) carried.push_back(objects[i]);
  return carried;
}

bool is_openmp(std::string_view name) {
  static constexpr std::array prefixes = {"libgomp", "libomp", "libiomp"};
  return std::ranges::any_of(prefixes, [&](const char* prefix) { return name.starts_with(prefix); });
}

/// Of those that OpenMP's library is, or is not.
std::vector<Range> code_of(const std::vector<Loaded>& objects, bool openmp) {
  std::vector<Range> code;
  for (const Loaded& object : objects) {
    if (is_openmp(object.name) != openmp) continue;
    for (const auto& loaded : object.segments) {
      const Address begin = object.base + loaded.p_vaddr;
      if (loaded.p_type == PT_LOAD && (loaded.p_flags & PF_X) != 0) code.push_back({begin, begin + loaded.p_memsz});
    }
  }
  return code;
}

bool lies_in(const std::vector<Range>& ranges, const void* address) {
  const auto place = reinterpret_cast<Address>(address);
  return std::ranges::any_of(ranges, [place](const Range& range) { return place >= range.begin && place < range.end; });
}

/// Code of carried objects, before main.
struct StartupCode {
  std::array<Range, 256> ranges{};
  std::size_t count = 0;
  enum { unknown, being_read, known } state = unknown;
};
constinit StartupCode startup_code;

void read_startup_code() {
  startup_code.state = StartupCode::being_read;  // what is allocated here asks, too
  for (const Loaded& object : carried_of(all_loaded())) {
    for (const auto& loaded : object.segments) {
      if (loaded.p_type != PT_LOAD || (loaded.p_flags & PF_X) == 0 || startup_code.count == startup_code.ranges.size())
        continue;
      const Address begin = object.base + loaded.p_vaddr;
      startup_code.ranges[startup_code.count++] = {begin, begin + loaded.p_memsz};
    }
  }
  startup_code.state = StartupCode::known;
}

std::vector<Range> code_and_data_of(const std::vector<Loaded>& objects) {
  std::vector<Range> ranges;
  for (const Loaded& object : objects) {
    for (const auto& loaded : object.segments) {
      const Address begin = object.base + loaded.p_vaddr;
      if (loaded.p_type == PT_LOAD) ranges.push_back({begin, begin + loaded.p_memsz});
    }
  }
  return ranges;
}

/// Signal handlers look at it, so one that another has taken the place of stays.
struct Lookup {
  std::vector<Range> computing_code;
  std::vector<Range> openmp_code;
  std::vector<Range> carried;
};
constinit std::atomic<const Lookup*> lookup{nullptr};

const Lookup& make_lookup() {
  if (known().empty()) {  // libraries are being started
    static const auto& nothing = *new Lookup;
    return nothing;
  }
  const auto carried = carried_of(known());
  const auto* const made = new Lookup{.computing_code = code_of(carried, false),
                                      .openmp_code = code_of(known(), true),
                                      .carried = code_and_data_of(carried)};
  lookup.store(made, std::memory_order_release);
  return *made;
}

const Lookup& looked_up() {
  const Lookup* const made = lookup.load(std::memory_order_acquire);
  return made != nullptr ? *made : make_lookup();
}

Loaded* find_known(Address base) {
  const auto found = std::ranges::find(known(), base, &Loaded::base);
  return found == known().end() ? nullptr : &*found;
}

bool is_in_every_process(const Loaded& object) {
  const auto number = static_cast<std::size_t>(&object - known().data());
  return choose(known())[number] || of_mpi(known())[number] || is_the_systems(object.name);
}

/// One that has been opened late.
void place_thread_data(Loaded& object) {
  const auto* const header = segment(object, PT_TLS);
  if (header == nullptr) return;
  const late_thread_data::Variables variables{.object = object.base,
                                              .module = object.thread_module,
                                              .bytes = header->p_memsz,
                                              .alignment = header->p_align,
                                              .in_use = !object.thread_data.empty()};
  object.late = late_thread_data::place(variables);
  object.thread_data = {};
  if (object.late != late_thread_data::Place::with_thread) return;
  object.thread_data = late_thread_data::memory_of(variables);
  object.thread_initial = {reinterpret_cast<const std::byte*>(object.base + header->p_vaddr), header->p_filesz};
}

}  // namespace

void note_objects_at_start() {
  known() = all_loaded();
  for (Loaded& object : known()) object.at_start = true;
  set_owner_of([](const void* address) {
    return is_program_memory(address) || lies_in(looked_up().carried, address) ? Owner::program : Owner::process;
  });
}

bool note_opened_object(std::uintptr_t base) {
  if (const Loaded* const object = find_known(base); object != nullptr && object->at_start && !object->opened)
    if (is_in_every_process(*object)) return false;
  const std::size_t before = known().size();
  for (Loaded& object : all_loaded())
    if (find_known(object.base) == nullptr) known().push_back(std::move(object));
  Loaded* const object = find_known(base);
  if (object == nullptr) return false;  // of another namespace
  object->opened = true;
  const auto carried = choose(known());
  for (std::size_t i = before; i < known().size(); ++i)
    if (carried[i]) place_thread_data(known()[i]);
  make_lookup();
  return true;
}

std::size_t thread_module_of(std::uintptr_t base) {
  const Loaded* const object = find_known(base);
  return object != nullptr ? object->thread_module : 0;
}

bool is_known(std::uintptr_t base) { return find_known(base) != nullptr; }

void forget_closed_objects() {
  const auto loaded = all_loaded();
  const auto is_closed = [&](const Loaded& object) {
    return std::ranges::none_of(
        loaded, [&](const Loaded& other) { return other.base == object.base && other.path == object.path; });
  };
  const auto forget = [&](const Loaded& object) {
    if (!is_closed(object)) return false;
    late_thread_data::forget(object.base);
    return true;
  };
  if (std::erase_if(known(), forget) != 0) make_lookup();
}

std::vector<OpenedAndNotCarried> opened_and_not_carried() {
  const auto carried = choose(known());
  std::vector<bool> opened(known().size());
  for (const Loaded& object : known())
    if (object.opened) add_closure(known(), object, opened, [](const Loaded&) { return true; });
  std::vector<OpenedAndNotCarried> objects;
  for (std::size_t i = 0; i < known().size(); ++i) {
    const Loaded& object = known()[i];
    if (!opened[i] || is_the_systems(object.name)) continue;
    if (carried[i] && object.late == late_thread_data::Place::elsewhere)
      objects.push_back(
          {object.path,
           "has thread-local variables that its constructors use, or was opened by another thread than the main one"});
    if (!carried[i] && !is_in_every_process(object))
      objects.push_back(
          {object.path, object.at_start ? "was there before the program began" : "is an allocator, or MPI's"});
  }
  return objects;
}

std::vector<CarriedObject> carried_objects() {
  const auto carried = carried_of(known());
  std::vector<const ElfObject*> libraries;
  for (const Loaded& object : carried)
    if (&object != &carried.front()) libraries.push_back(&object);
  std::vector<CarriedObject> objects;
  for (const Loaded& object : carried)
    objects.push_back(
        {.name = object.name,
         .base = object.base,
         .data = written_data(object, libraries),
         .zeroed = zeroed_data(object),
         .thread_data = object.thread_data,
         .thread_initial = object.thread_initial,
         .openmp = is_openmp(object.name),
         .of_main_thread = object.late == late_thread_data::Place::in_program && !is_a_language(object.name),
         .at_start = object.at_start});
  return objects;
}

bool is_in_every_process(std::uintptr_t base) {
  const Loaded* const object = find_known(base);
  return object != nullptr && is_in_every_process(*object);
}

bool program_needs(std::string_view library) {
  const auto objects = all_loaded();
  std::vector<bool> needed(objects.size());
  add_closure(objects, objects.front(), needed, [](const Loaded&) { return true; });
  for (std::size_t i = 0; i < objects.size(); ++i)
    if (needed[i] && objects[i].name.starts_with(library)) return true;
  return false;
}

bool program_calls(std::string_view function) {
  return std::ranges::any_of(carried_of(all_loaded()), [&](const Loaded& object) {
    const auto calls = [&](const ElfW(Rela) & relocation) {
      const ElfW(Sym)& symbol = object.symbols[ELF64_R_SYM(relocation.r_info)];
      return symbol.st_shndx == SHN_UNDEF && object.strings + symbol.st_name == function;
    };
    return std::ranges::any_of(object.call_relocations, calls) || std::ranges::any_of(object.data_relocations, calls);
  });
}

std::string call_of_other_allocator() {
  static constexpr std::array ours = {"malloc",       "free",     "calloc",        "realloc",
                                      "reallocarray", "memalign", "aligned_alloc", "posix_memalign",
                                      "valloc",       "pvalloc",  "cfree",         "malloc_usable_size"};
  std::vector<Loaded> allocators;
  std::ranges::copy_if(known(), std::back_inserter(allocators),
                       [](const Loaded& object) { return is_an_allocator(object.name); });
  if (allocators.empty()) return "";
  for (const Loaded& object : carried_of(known())) {
    for (const auto relocations : {object.data_relocations, object.call_relocations}) {
      for (const ElfW(Rela) & relocation : relocations) {
        const ElfW(Sym)& symbol = object.symbols[ELF64_R_SYM(relocation.r_info)];
        const char* const name = object.strings + symbol.st_name;
        if (symbol.st_shndx != SHN_UNDEF || std::ranges::find(ours, std::string_view(name)) != ours.end()) continue;
        for (const Loaded& allocator : allocators)
          if (definition(allocator, name) != nullptr) return std::string(name) + " of " + allocator.name;
      }
    }
  }
  return "";
}

bool is_computing_code(const void* address) { return lies_in(looked_up().computing_code, address); }

bool is_openmp_code(const void* address) { return lies_in(looked_up().openmp_code, address); }

bool reads_startup_code() { return startup_code.state == StartupCode::being_read; }

bool is_carried_code(const void* return_address) {
  if (startup_code.state == StartupCode::being_read) return false;
  if (startup_code.state == StartupCode::unknown) read_startup_code();
  const auto address = reinterpret_cast<Address>(return_address);
  return std::ranges::any_of(startup_code.ranges.begin(), startup_code.ranges.begin() + startup_code.count,
                             [address](const Range& range) { return address >= range.begin && address < range.end; });
}

}  // namespace cppc::address
