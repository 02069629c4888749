#include "cppc/wire.hpp"

#include <boost/describe/class.hpp>
#include <boost/describe/members.hpp>
#include <boost/mp11/algorithm.hpp>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace cppc::wire {

// The fields of every message, in both directions, by their names.
BOOST_DESCRIBE_STRUCT(Rank, (), (rank, pid, bytes, finished, sharers))
BOOST_DESCRIBE_STRUCT(Move, (), (rank, to))
BOOST_DESCRIBE_STRUCT(Hello, (), (key, agent, agents, node, pid, job_size, mpirun))
BOOST_DESCRIBE_STRUCT(Roster, (), (agent, ranks, cores, memory_free))
BOOST_DESCRIBE_STRUCT(Shipment, (), (rank, bytes_done, bytes_total, chunks_again))
BOOST_DESCRIBE_STRUCT(Progress, (), (id, phase, bytes_done, bytes_total, agent, ranks))
BOOST_DESCRIBE_STRUCT(Outcome, (),
                      (id, status, reason, frozen_ms, response_ms, evacuation_ms, rebuild_ms, image_bytes, downtime_ms))
BOOST_DESCRIBE_STRUCT(SavedImage, (), (rank, bytes, xxh3, program))
BOOST_DESCRIBE_STRUCT(Saved, (), (id, agent, images))
BOOST_DESCRIBE_STRUCT(Order, (), (id, moves, retire, timeout_s, agents, without_mpi, checkpoint, stands))
BOOST_DESCRIBE_STRUCT(Proceed, (), (id, leaves))
BOOST_DESCRIBE_STRUCT(Substitute, (), (key, agent, count, confirmed))
BOOST_DESCRIBE_STRUCT(Placement, (), (agent_of))
BOOST_DESCRIBE_STRUCT(Relay, (), (id, from, to, tag, bytes))
BOOST_DESCRIBE_STRUCT(Abandon, (), (id))
BOOST_DESCRIBE_STRUCT(Abandoned, (), (id, agent))
BOOST_DESCRIBE_STRUCT(MpiFailed, (), (id, agent, reason))
BOOST_DESCRIBE_STRUCT(Late, (), (id, agent, reason))
BOOST_DESCRIBE_STRUCT(Ready, (), (id, agent))
BOOST_DESCRIBE_STRUCT(Farewell, (), (agent))
BOOST_DESCRIBE_STRUCT(RemoveRemains, (), (mpiruns))
BOOST_DESCRIBE_STRUCT(Commit, (), (id))
BOOST_DESCRIBE_STRUCT(Cancel, (), (id))
BOOST_DESCRIBE_STRUCT(Survey, (), ())
BOOST_DESCRIBE_STRUCT(Quit, (), ())
BOOST_DESCRIBE_STRUCT(End, (), ())

namespace {

using nlohmann::json;

constexpr std::size_t longest_text_sent = 4096;                   // bytes of one string; the rest is cut off
constexpr std::size_t longest_text_read = 3 * longest_text_sent;  // a byte that is not UTF-8 is sent as three
constexpr std::size_t longest_list = 1 << 20;                     // elements

template <class T>
concept HasFields = boost::describe::has_describe_members<std::remove_const_t<T>>::value;

template <class Visitor, HasFields T>
void visit_fields(Visitor& visit, T& value) {
  using Fields = boost::describe::describe_members<std::remove_const_t<T>, boost::describe::mod_public>;
  boost::mp11::mp_for_each<Fields>([&](auto field) { visit(field.name, value.*field.pointer); });
}

class Writer {
 public:
  explicit Writer(json& out) : out_(out) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    out_[name] = value;
  }
  void operator()(const char* name, const std::string& text) { out_[name] = text.substr(0, longest_text_sent); }
  template <HasFields T>
  void operator()(const char* name, const std::vector<T>& elements) {
    json& list = out_[name] = json::array();
    for (const T& element : elements) {
      Writer each(list.emplace_back(json::object()));
      visit_fields(each, element);
    }
  }

 private:
  json& out_;
};

bool is_status(std::int64_t value) {
  switch (static_cast<cppc_status>(value)) {
    case CPPC_OK:
    case CPPC_ERR_ARGUMENT:
    case CPPC_ERR_STATE:
    case CPPC_ERR_NOT_FOUND:
    case CPPC_ERR_MEMORY:
    case CPPC_ERR_SYSTEM:
    case CPPC_ERR_REFUSED:
    case CPPC_ERR_TIMEOUT:
    case CPPC_ERR_CANCELLED:
    case CPPC_ERR_UNSUPPORTED:
    case CPPC_ERR_NOT_QUIET:
    case CPPC_ERR_MISMATCH:
    case CPPC_ERR_LOST:
    case CPPC_ERR_IMAGE:
    case CPPC_ERR_CHECKSUM:
    case CPPC_ERR_FABRIC:
    case CPPC_ERR_MPI:
    case CPPC_ERR_PEER:
      return true;
  }
  return false;
}

// Numbers in these messages count or name something: none is negative.
class Reader {
 public:
  explicit Reader(const json& in) : in_(in), ok_(in.is_object()) {}
  bool ok() const { return ok_; }

  template <class T>
  void operator()(const char* name, T& value) {
    if (!ok_) return;
    const auto field = in_.find(name);
    ok_ = field != in_.end() && read(*field, value);
  }

 private:
  static bool read(const json& field, bool& value) { return field.is_boolean() && (value = field.get<bool>(), true); }

  static bool read(const json& field, std::uint64_t& value) {
    return field.is_number_unsigned() && (value = field.get<std::uint64_t>(), true);
  }

  static bool read(const json& field, int& value) {
    std::uint64_t wide = 0;
    if (!read(field, wide) || wide > std::uint64_t{std::numeric_limits<int>::max()}) return false;
    value = static_cast<int>(wide);
    return true;
  }

  static bool read(const json& field, double& value) {
    if (!field.is_number()) return false;
    value = field.get<double>();
    return std::isfinite(value) && value >= 0;
  }

  static bool read(const json& field, std::string& value) {
    if (!field.is_string() || field.get_ref<const std::string&>().size() > longest_text_read) return false;
    value = field.get<std::string>();
    return true;
  }

  static bool read(const json& field, cppc_status& value) {
    int number = 0;
    if (!read(field, number) || !is_status(number)) return false;
    value = static_cast<cppc_status>(number);
    return true;
  }

  template <class T>
  static bool read(const json& field, std::vector<T>& elements) {
    if (!field.is_array() || field.size() > longest_list) return false;
    elements.resize(field.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (!read(field[i], elements[i])) return false;
    }
    return true;
  }

  template <HasFields T>
  static bool read(const json& field, T& element) {
    Reader reader(field);
    visit_fields(reader, element);
    return reader.ok();
  }

  const json& in_;
  bool ok_;
};

template <class>
constexpr const char* type_name = nullptr;
template <>
constexpr const char* type_name<Hello> = "hello";
template <>
constexpr const char* type_name<Roster> = "roster";
template <>
constexpr const char* type_name<Progress> = "progress";
template <>
constexpr const char* type_name<Outcome> = "outcome";
template <>
constexpr const char* type_name<Order> = "order";
template <>
constexpr const char* type_name<Ready> = "ready";
template <>
constexpr const char* type_name<Farewell> = "farewell";
template <>
constexpr const char* type_name<Commit> = "commit";
template <>
constexpr const char* type_name<Cancel> = "cancel";
template <>
constexpr const char* type_name<Survey> = "survey";
template <>
constexpr const char* type_name<Quit> = "quit";
template <>
constexpr const char* type_name<Abandon> = "abandon";
template <>
constexpr const char* type_name<Abandoned> = "abandoned";
template <>
constexpr const char* type_name<MpiFailed> = "mpi_failed";
template <>
constexpr const char* type_name<Substitute> = "substitute";
template <>
constexpr const char* type_name<Placement> = "placement";
template <>
constexpr const char* type_name<Relay> = "relay";
template <>
constexpr const char* type_name<Saved> = "saved";
template <>
constexpr const char* type_name<Proceed> = "proceed";
template <>
constexpr const char* type_name<End> = "end";
template <>
constexpr const char* type_name<Late> = "late";
template <>
constexpr const char* type_name<RemoveRemains> = "remove_remains";

bool meaningful(const Progress& progress) {
  for (const char* phase : {"prepare", "negotiate", "freeze", "ship", "commit", "write"}) {
    if (progress.phase == phase) return true;
  }
  return false;
}
bool meaningful(const Hello& hello) { return hello.agent < hello.agents; }
template <class Other>
bool meaningful(const Other&) {
  return true;
}

// Reads `in` if it is a message of type Candidate.
template <class Candidate>
bool decode_as(const std::string& type, const json& in, Message& out) {
  if (type != type_name<Candidate>) return false;
  Candidate message;
  Reader reader(in);
  visit_fields(reader, message);
  if (!reader.ok() || !meaningful(message)) return false;
  out = std::move(message);
  return true;
}

template <class... Candidates>
bool decode_any(const std::string& type, const json& in, std::variant<Candidates...>& out) {
  return (decode_as<Candidates>(type, in, out) || ...);
}

}  // namespace

std::string encode(const Message& message) {
  json out = json::object();
  std::visit(
      [&out]<class T>(const T& typed) {
        out["type"] = type_name<T>;
        Writer writer(out);
        visit_fields(writer, typed);
      },
      message);
  // A host name or a reason in another encoding must not cost the message.
  return out.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

tl::expected<Message, cppc_status> decode(std::string_view line) {
  const json in = json::parse(line, nullptr, /*allow_exceptions=*/false);
  const auto type = in.is_object() ? in.find("type") : in.end();
  Message message;
  if (!in.is_object() || type == in.end() || !type->is_string() ||
      !decode_any(type->get_ref<const std::string&>(), in, message)) {
    return tl::unexpected(CPPC_ERR_ARGUMENT);
  }
  return message;
}

}  // namespace cppc::wire
