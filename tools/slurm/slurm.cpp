#include "slurm.hpp"

#include <sstream>

namespace cppc::slurm {
namespace {

using tools::error;
using namespace std::chrono_literals;

constexpr auto timeout = 30s;

// Of a job's variables they would act on some; with SLURM_JOBID scontrol leaves files in the working directory.
Environment for_commands() {
  Environment environment = tools::present_environment();
  std::erase_if(environment, [](const auto& one) { return is_of_job(one.first); });
  environment["LC_ALL"] = "C";
  return environment;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

Result<tools::CommandOutput> ask(const std::vector<std::string>& words, const std::stop_token& stop,
                                 std::chrono::milliseconds limit = timeout) {
  return tools::run_command(words, for_commands(), limit, stop);
}

// What is printed, if all is well.
Result<std::string> answer(const std::vector<std::string>& words, const std::stop_token& stop = {},
                           std::chrono::milliseconds limit = timeout) {
  auto asked = ask(words, stop, limit);
  if (!asked) return error(std::move(asked).error());
  if (asked->status == 0) return std::move(asked->output);
  const std::string printed = asked->errors.empty() ? asked->output : asked->errors;
  return error(words[0] + " has failed: " + first_line(printed));
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

// One line about a job, without what its user may have written.
Result<std::string> field_of(const std::string& job, const std::string& field, const std::stop_token& stop,
                             std::chrono::milliseconds limit = timeout) {
  auto asked = answer({"squeue", "--noheader", "--jobs=" + job, field}, stop, limit);
  if (!asked) return error(std::move(asked).error());
  return first_line(*asked);
}

}  // namespace

bool is_of_job(const std::string& variable) { return variable.starts_with("SLURM_") && variable != "SLURM_CONF"; }

Result<std::vector<std::string>> expand(const std::string& list) {
  const auto names = answer({"scontrol", "show", "hostnames", list});
  if (!names) return error(names.error());
  return words_of(*names);
}

Result<JobNodes> nodes_of(const std::string& job, const std::stop_token& stop) {
  const auto shown = field_of(job, "--format=%N|%B", stop);
  if (!shown) return error(shown.error());
  const std::size_t bar = shown->find('|');
  if (bar == 0 || bar == std::string::npos) return error("job " + job + " of Slurm has no nodes any more");
  auto names = expand(shown->substr(0, bar));
  if (!names) return error(std::move(names).error());
  const auto is_batch = field_of(job, "--Format=BatchFlag", stop);
  if (!is_batch) return error(is_batch.error());
  return JobNodes{*std::move(names), is_batch->starts_with('0') ? "" : shown->substr(bar + 1)};
}

Result<std::vector<Step>> steps_on(const std::string& job, const std::string& node, const std::stop_token& stop) {
  const auto shown =
      answer({"squeue", "--steps", "--noheader", "--jobs=" + job, "--nodelist=" + node, "--format=%i|%j"}, stop);
  if (!shown) return error(shown.error());
  std::vector<Step> steps;
  std::istringstream lines(*shown);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find('|');
    if (bar == std::string::npos) continue;
    Step step{line.substr(0, bar), line.substr(bar + 1)};
    step.id.erase(0, step.id.find_first_not_of(' '));
    if (!step.id.ends_with(".extern")) steps.push_back(std::move(step));  // Slurm's own, on all nodes of a job
  }
  return steps;
}

Result<void> kill_step(const std::string& step, const std::stop_token& stop) {
  const auto done = answer({"scancel", "--signal=KILL", step}, stop);
  if (!done) return error(done.error());
  return {};
}

tl::expected<void, ResizeFailure> keep_only(const std::string& job, const std::vector<std::string>& nodes,
                                            const std::stop_token& stop) {
  using Kind = ResizeFailure::Kind;
  const auto asked = ask({"scontrol", "update", "jobid=" + job, "NodeList=" + joined(nodes)}, stop);
  if (!asked) return tl::unexpected(ResizeFailure{Kind::other, asked.error()});
  if (asked->status == 0) return {};
  const std::string printed = asked->errors + asked->output;
  const auto contains = [&](const char* words) { return printed.find(words) != std::string::npos; };
  return tl::unexpected(ResizeFailure{contains("batch host")              ? Kind::batch_host
                                      : contains("DB index is being set") ? Kind::no_accounting
                                                                          : Kind::other,
                                      "scontrol has failed: " + first_line(printed)});
}

Result<std::string> comment_of(const std::string& job, std::chrono::milliseconds limit) {
  auto comment = field_of(job, "--format=%k", {}, limit);
  if (comment && *comment == "(null)") return "";
  return comment;
}

Result<void> set_comment(const std::string& job, const std::string& comment) {
  const auto done = answer({"scontrol", "update", "jobid=" + job, "comment=" + comment});
  if (!done) return error(done.error());
  return {};
}

}  // namespace cppc::slurm
