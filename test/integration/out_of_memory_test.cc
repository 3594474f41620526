// An informer whose process runs out of memory at any allocation of its own threads: the process
// must continue or end with a message, never continue with half-done work, and never crash.

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"

#include "support/child_process.h"

namespace {

constexpr long kPlenty = std::numeric_limits<long>::max() / 2;
// Number of allocations that still succeed in threads that are not `spared`.
std::atomic<long> allocations_left{kPlenty};
thread_local bool spared = false;

void* Allocate(std::size_t bytes) {
  if (!spared && allocations_left.fetch_sub(1) <= 0) throw std::bad_alloc();
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return Allocate(bytes); }
void* operator new[](std::size_t bytes) { return Allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace kinformer::testing {
namespace {

using std::chrono::seconds;

// Runs in its own process. Never returns.
[[noreturn]] void FollowWithAllocations(const std::string& url, long allocations) {
  Runtime runtime;
  Config config;
  config.host = url;
  const Client client = Client::NewForConfig(runtime.env(), config).OrExit();
  SharedInformerFactory factory(client);
  factory.InformerFor<corev1::Namespace>();
  allocations_left = allocations;
  factory.Start();
  const auto synced = factory.WaitForCacheSync(std::stop_token(), {.timeout = seconds(1)});
  allocations_left = kPlenty;
  _exit(synced.ok() ? 0 : 1);
}

struct Ending {
  int status = 0;
  std::string words;
};

Ending EndingWith(const std::string& url, long allocations) {
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDERR_FILENO);
    FollowWithAllocations(url, allocations);
  }
  close(ends[1]);
  Ending ending;
  char bytes[4096];
  for (ssize_t n = 0; (n = read(ends[0], bytes, sizeof(bytes))) > 0;) {
    ending.words.append(bytes, static_cast<std::size_t>(n));
  }
  close(ends[0]);
  waitpid(pid, &ending.status, 0);
  return ending;
}

TEST(OutOfMemory, AtAnyAllocation_TheProcessWorksOnOrEndsWithWords) {
  spared = true;
  ChildProcess server({KINFORMER_CLI_PATH, "apiserver", "--listen", "127.0.0.1:0"});
  const std::string serving = "serving at ";
  std::optional<std::string> line = server.ReadLine(seconds(20));
  while (line && line->find(serving) == std::string::npos) line = server.ReadLine(seconds(20));
  ASSERT_TRUE(line.has_value());
  const std::string url = line->substr(line->find(serving) + serving.size());

  std::map<std::string, int> endings;
  for (long allocations = 0; allocations < 160; ++allocations) {
    const Ending ending = EndingWith(url, allocations);
    if (WIFEXITED(ending.status)) {
      ++endings[WEXITSTATUS(ending.status) == 0 ? "synced" : "not synced"];
      continue;
    }
    ASSERT_TRUE(WIFSIGNALED(ending.status));
    ASSERT_EQ(WTERMSIG(ending.status), SIGABRT) << allocations << ": " << ending.words;
    const bool own = ending.words.find("kinformer: out of memory (") != std::string::npos;
    // If even the destruction on the way needs memory, the C++ runtime prints the message.
    EXPECT_TRUE(own || ending.words.find("std::bad_alloc") != std::string::npos) << ending.words;
    ++endings[own ? "our words" : "the runtime's words"];
  }
  for (const auto& [ending, times] : endings) RecordProperty(ending, times);
  EXPECT_GT(endings["our words"], 10);
  EXPECT_GT(endings["our words"], endings["the runtime's words"]);
}

}  // namespace
}  // namespace kinformer::testing
