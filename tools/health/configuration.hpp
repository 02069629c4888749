/// The file that says what cppc-health listens to and does (cppc-health(8)), as TOML.
#pragma once

#include <filesystem>

#include "engine.hpp"

namespace cppc::health {

struct Site {
  bool slurm = false;           ///< nodes and drains are Slurm's
  std::set<std::string> nodes;  ///< without Slurm: those of the cluster
  bool dry_run = false;         ///< say what would be done
  Brakes brakes;
  Retries retries;
  std::filesystem::path state = "/var/lib/cppc-health";  ///< journal and audit log
  std::filesystem::path migrate;                         ///< empty: the one beside cppc-health
};

struct Listen {
  std::string address;  ///< numeric
  std::uint16_t port = 0;
  std::filesystem::path token_file, certificate, key;
};

struct Source {
  std::string kind;  ///< slurm-drain, command; on nodes: aws, gcp, azure
  std::string name;  ///< of the notices' source
  std::vector<std::string> command;
  Time every{};
  std::string base;  ///< of a cloud's metadata, http://HOST:PORT
};

/// Where `cppc-health --node` and `cppc-health notice` send notices.
struct Send {
  std::string server;  ///< http://HOST:PORT or https://HOST:PORT
  std::filesystem::path authority, token_file;
  std::string node;  ///< empty: this machine's name
};

struct Configuration {
  Site site;
  std::optional<Listen> listen;
  std::optional<Send> send;
  std::vector<Source> sources;
  std::vector<Rule> rules;
};

/// An error says file, line and what to do.
Result<Configuration> read_configuration(const std::filesystem::path& file);
Result<Configuration> parse_configuration(const std::string& text, const std::string& file);

}  // namespace cppc::health
