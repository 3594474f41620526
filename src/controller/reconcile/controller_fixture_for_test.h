// controller/reconcile/controller_fixture_for_test.h
//
// ControllerTest: a controller in simulated time, with a source whose queue the test adds to.

#ifndef KINFORMER_CONTROLLER_RECONCILE_CONTROLLER_FIXTURE_FOR_TEST_H_
#define KINFORMER_CONTROLLER_RECONCILE_CONTROLLER_FIXTURE_FOR_TEST_H_

#include <algorithm>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/base/tracing.h"
#include "kinformer/base/until.h"
#include "kinformer/controller/controller.h"

#include "base/core/testing/fields_log.h"

namespace kinformer {

inline const Request kA{"default", "a"};
inline const Request kB{"default", "b"};

// A source that syncs on demand, and to whose queue the test adds.
class TestSource final : public source::Source {
 public:
  explicit TestSource(Env& env) : env_(env) {}
  Result<void> Start(const std::stop_token& token, const RequestQueue<Request>& q) override {
    ++starts;
    stop = token;
    if (blocks_in_start) {
      while (SleepUnlessStopped(env_, token, std::chrono::hours(1))) {
      }
    }
    if (throws) throw std::runtime_error("no such thing");
    if (fails) return Error(Reason::kForbidden, "may not list pods");
    queue.emplace(q);
    return {};
  }
  Result<void> WaitForSync(const std::stop_token& token, Duration timeout) override {
    const SteadyTime until = std::min(syncs_at, env_.Now() + timeout);
    if (until > env_.Now() && !SleepUnlessStopped(env_, token, until - env_.Now())) {
      return Error(Reason::kCanceled, "stopped");
    }
    if (env_.Now() < syncs_at) return Error(Reason::kDeadlineExceeded, "pods are not listed yet");
    return {};
  }
  void Stop() override { ++stops; }
  [[nodiscard]] std::string Describe() const override { return "pods"; }
  [[nodiscard]] std::optional<Duration> ProgressAge() const override { return age; }

  std::optional<RequestQueue<Request>> queue;
  std::stop_token stop{};  // token passed to Start
  SteadyTime syncs_at{};
  bool fails = false;
  bool throws = false;
  bool blocks_in_start = false;
  int starts = 0;
  int stops = 0;
  std::optional<Duration> age{};

 private:
  Env& env_;
};

class ControllerTest : public ::testing::Test {
 protected:
  explicit ControllerTest(std::shared_ptr<Tracer> tracer = nullptr) : tracer_(std::move(tracer)) {}
  ~ControllerTest() override { StopController(); }

  void Make(ControllerOptions options = {}) {
    if (options.name.empty()) options.name = "pods";
    controller_ =
        Controller::New(
            env(), ReconcilerOf<Request>([this](const ReconcileContext& c, const Request& r) {
              calls_.push_back({r, c.priority(), c.reconcile_id(), env().Now()});
              return reconcile_ ? reconcile_(c, r) : Result<ReconcileResult>(ReconcileResult{});
            }),
            std::move(options))
            .OrExit();
    ASSERT_TRUE(controller_->Watch(source_).ok());
  }
  void Start() {
    thread_ = env().NewThread("controller", [this] {
      result_ = controller_->Start(stop_.get_token());
      ended_ = true;
    });
    sim_.RunReady();
  }
  void StopController() {
    stop_.request_stop();
    if (thread_ != nullptr) thread_->Join();
    thread_.reset();
  }
  Env& env() { return sim_.env(); }
  void Add(const Request& request) { source_->queue->Add(request); }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Call& call : calls_) names.push_back(call.request.name);
    return names;
  }
  // Returns the first line of the metrics that begins with `name`.
  std::string Metric(const std::string& name) const {
    const std::string text = metrics_->Text();
    const std::size_t at = text.find("\n" + name);
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  }

  struct Call {
    Request request;
    int priority;
    std::string id;
    SteadyTime at;
  };
  const std::shared_ptr<Tracer> tracer_;
  std::shared_ptr<TextMetrics> metrics_{NewTextMetrics()};
  std::shared_ptr<internal::base::FieldsLog> log_ = std::make_shared<internal::base::FieldsLog>();
  Simulation sim_{{.log = log_, .metrics = metrics_, .tracer = tracer_}};
  std::shared_ptr<TestSource> source_ = std::make_shared<TestSource>(sim_.env());
  std::function<Result<ReconcileResult>(const ReconcileContext&, const Request&)> reconcile_;
  std::vector<Call> calls_;
  std::shared_ptr<Controller> controller_;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
  Result<void> result_;
  bool ended_ = false;
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_RECONCILE_CONTROLLER_FIXTURE_FOR_TEST_H_
