// test/network/held_source.h
//
// HeldSource: credentials that arrive when the test says so.

#ifndef KINFORMER_TEST_NETWORK_HELD_SOURCE_H_
#define KINFORMER_TEST_NETWORK_HELD_SOURCE_H_

#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "transport/awaited_source.h"

namespace kinformer::testing {

// Keeps all callbacks, also those of callers who have left.
class HeldSource final : public internal::transport::AwaitedSource {
 public:
  using Callback = std::function<void(Result<Credentials>)>;
  void Fetch(Env&, Callback) override { FAIL() << "FetchFor is called instead"; }
  void FetchFor(const void* who, Env&, Callback done) override {
    if (throws) throw std::runtime_error("no key");
    asked.emplace_back(who, std::move(done));
  }
  void Forget(const void* who, Env&) override {
    forgotten.push_back(who);
    if (on_forget) on_forget();
  }
  void Rejected(const std::string&) override {}
  bool CanRefresh() const override { return true; }

  bool throws = false;
  std::vector<std::pair<const void*, Callback>> asked{};
  std::vector<const void*> forgotten{};
  std::function<void()> on_forget{};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_HELD_SOURCE_H_
