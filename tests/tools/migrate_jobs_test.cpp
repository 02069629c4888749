/// Which jobs the operator's command finds, and what it says of them.
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "migrate_fixture.hpp"
#include "socket.hpp"
#include "sockets.hpp"

namespace cppc::migrate {
namespace {

using nlohmann::json;
using test::Finished;
using test::Process;

TEST_F(MigrateTest, FindsJobs) {
  const Finished none = migrate({"--rank", "3", "--to", "node2"});
  EXPECT_EQ(none.status, 3);
  EXPECT_NE(none.errors.find("no job is running"), std::string::npos);
  EXPECT_EQ(migrate({"status"}).output, "no job is running\n");

  const auto first = start_job("app-1"), second = start_job("other-2");
  const Finished which = migrate({"--rank", "3", "--to", "node2"});
  EXPECT_EQ(which.status, 2);
  EXPECT_NE(which.errors.find("app-1, other-2"), std::string::npos) << which.errors;
  EXPECT_EQ(json::parse(migrate({"status", "--json"}).output).size(), 2u);
  EXPECT_EQ(json::parse(migrate({"status", "--json", "--job", "other-2"}).output)[0]["job"], "other-2");
  EXPECT_EQ(migrate({"--job", "gone-3", "--rank", "3", "--to", "node2"}).status, 3);
  EXPECT_EQ(migrate({"status", "--job", "gone-3"}).status, 3);
}

TEST_F(MigrateTest, WhatADeadJobHasLeftIsRemoved) {
  {
    Process killed({"sh", "-c",
                    "exec perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local=>$ARGV[0],Listen=>1) or die; "
                    "$|=1; print 1; sleep' " +
                        jobs_ + "/dead-1.sock"});
    while (killed.output().empty()) std::this_thread::yield();
  }
  EXPECT_TRUE(std::filesystem::exists(jobs_ + "/dead-1.sock"));
  EXPECT_EQ(migrate({"status"}).output, "no job is running\n");
  EXPECT_FALSE(std::filesystem::exists(jobs_ + "/dead-1.sock"));
}

TEST_F(MigrateTest, AJobThatDoesNotAnswerIsAskedAgain) {
  boost::asio::io_context context;
  auto listener = tools::listen_on_unix(context, jobs_ + "/busy-1.sock").value();
  const auto accept = [&listener] {
    pollfd one{listener.native_handle(), POLLIN, 0};
    EXPECT_EQ(poll(&one, 1, 60'000), 1);
    return test::Socket(::accept(listener.native_handle(), nullptr, nullptr));
  };
  Process command = start_migrate({"status", "--json"});
  accept().close();
  accept().close();  // it looks whether anybody is there
  test::Socket asked = accept();
  for (std::string line = asked.line(); line != "\r"; line = asked.line()) ASSERT_FALSE(line.empty());
  asked.send("HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{\"job\":\"busy-1\"}");
  asked.close();
  EXPECT_EQ(json::parse(command.wait().output)[0]["job"], "busy-1");
}

TEST_F(MigrateTest, ADirectoryThatOthersMayEnterIsRefused) {
  std::filesystem::permissions(jobs_, std::filesystem::perms::all);
  const Finished refused = migrate({"status"});
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.errors.find("only you may enter"), std::string::npos) << refused.errors;
}

TEST_F(MigrateTest, StatusShowsWhoIsWhere) {
  start();
  Process command = start_migrate({"--evacuate", "node1"});
  const wire::Order order = agents_->order();
  const std::string status = migrate({"status"}).output;
  EXPECT_NE(status.find("job app-1: ./app, running, process "), std::string::npos) << status;
  EXPECT_NE(status.find("2 (moving) 3 (moving)\n"), std::string::npos) << status;
  agents_->obey(order);
  command.wait();
  EXPECT_NE(migrate({"status"}).output.find("node1                evacuated"), std::string::npos);
}

}  // namespace
}  // namespace cppc::migrate
