// The switches of scripts/mutation_switch.h, and a listener for gtest that writes which faults each
// case reaches: a line each, its name, its milliseconds, the numbers. Linked into test programs by
// scripts/mutation_switch.py.

#include "mutation_switch.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace kinformer_mutation {
namespace {

std::array<std::atomic<bool>, kMost> reached;

int Planted() noexcept {
  const char* const fault = std::getenv("MUTANT");
  return fault == nullptr ? -1 : std::atoi(fault);
}

class Listener final : public testing::EmptyTestEventListener {
 public:
  explicit Listener(std::string path) : path_(std::move(path)) {}

 private:
  // Faults that are reached before the first case count for each of them.
  void OnTestProgramStart(const testing::UnitTest& /*all*/) override { Write("*", 0); }
  void OnTestEnd(const testing::TestInfo& test) override {
    Write(std::string(test.test_suite_name()) + "." + test.name(), test.result()->elapsed_time());
  }
  void Write(const std::string& name, long long milliseconds) {
    std::ofstream out(path_, std::ios::app);
    out << name << ' ' << milliseconds;
    for (std::size_t fault = 0; fault < reached.size(); ++fault) {
      if (reached[fault].exchange(false, std::memory_order_relaxed)) out << ' ' << fault;
    }
    out << '\n';
  }

  const std::string path_;
};

const bool listens = [] {
  if (const char* const path = std::getenv("MUTANTS_REACHED")) {
    testing::UnitTest::GetInstance()->listeners().Append(new Listener(path));
  }
  return true;
}();

}  // namespace

bool Reached(int fault) noexcept {
  static const int planted = Planted();
  reached[static_cast<std::size_t>(fault)].store(true, std::memory_order_relaxed);
  return fault == planted;
}

}  // namespace kinformer_mutation
