// test/operator/builder_fixture.h
//
// BuilderTest: controllers built for a manager, in simulated time, and their reconciles.

#ifndef KINFORMER_TEST_OPERATOR_BUILDER_FIXTURE_H_
#define KINFORMER_TEST_OPERATOR_BUILDER_FIXTURE_H_

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/controller/builder.h"
#include "kinformer/json/json.h"

#include "operator/manager_fixture.h"

namespace kinformer::testing {

class BuilderTest : public ManagerTest {
 protected:
  // Records its requests: "web-0" or "web-0@-100".
  auto Note() {
    return [this](const ReconcileContext& context, const Request& request) {
      seen_.push_back(request.name +
                      (context.priority() == 0 ? "" : "@" + std::to_string(context.priority())));
      return Result<ReconcileResult>(ReconcileResult{});
    };
  }
  std::vector<std::string> Seen() {
    sim_.RunFor(std::chrono::seconds(5));
    return std::exchange(seen_, {});
  }
  void Change(const std::string& pod, const std::string& patch) {
    server_.Patch(kPods, {"default", pod}, json::Parse(patch).OrExit()).OrExit();
  }
  RunningManager manager_{sim_, server_};
  std::vector<std::string> seen_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_OPERATOR_BUILDER_FIXTURE_H_
