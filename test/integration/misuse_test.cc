// Bad habits of programs: objects destroyed in any order, ended from inside their own callbacks,
// twice in one process, alive at exit and after a fork. Nothing may crash or hang.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/manager.h"
#include "kinformer/workqueue/rate_limiting_queue.h"

#include "integration/embedded_server.h"
#include "support/child_process.h"
#include "support/child_status.h"

namespace kinformer::testing {
namespace {

using std::chrono::seconds;

ManagerOptions Quiet() { return {.metrics_bind_address = "0", .serve_webhooks = false}; }

// A client, a factory, an informer of it, a queue that its handler fills, and a manager with a
// controller, all running.
class Program {
 public:
  Program(Env& env, const EmbeddedServer& server)
      : client_(Client::NewForConfig(env, server.ClientConfig()).OrExit()),
        factory_(std::make_unique<SharedInformerFactory>(*client_)),
        informer_(factory_->InformerFor<corev1::ConfigMap>()),
        queue_(std::make_unique<RateLimitingQueue<ObjectName>>(env)),
        manager_(Manager::New(*client_, Quiet()).OrExit()) {
    const auto add = [adder = queue_->Adder(), this](const auto& event) {
      adder.Add(event.object_name());
      seen_->fetch_add(1);
    };
    informer_->AddEventHandler({.on_add = add, .on_update = add, .on_delete = add}).OrExit();
    ControllerBuilder(*manager_)
        .For<corev1::ConfigMap>()
        .Complete([seen = seen_](const ReconcileContext&, const Request&) {
          seen->fetch_add(1);
          return Result<ReconcileResult>(
              ReconcileResult{.requeue_after = std::chrono::milliseconds(1)});
        })
        .OrExit();
    factory_->Start();
    thread_ = std::thread([this] { static_cast<void>(manager_->Start(stop_.get_token())); });
  }
  ~Program() {
    for (int i = 0; i < 5; ++i) Destroy(i);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] bool Works() const { return seen_->load() >= 2; }
  void Destroy(int which) {
    switch (which) {
      case 0:
        client_.reset();
        return;
      case 1:
        factory_.reset();
        return;
      case 2:
        informer_.reset();
        return;
      case 3:
        queue_.reset();
        return;
      default:
        stop_.request_stop();
        if (thread_.joinable()) thread_.join();
        manager_.reset();
    }
  }

 private:
  const std::shared_ptr<std::atomic<int>> seen_ = std::make_shared<std::atomic<int>>(0);
  std::optional<Client> client_;
  std::unique_ptr<SharedInformerFactory> factory_;
  std::optional<SharedInformer<corev1::ConfigMap>> informer_;
  std::unique_ptr<RateLimitingQueue<ObjectName>> queue_;
  std::unique_ptr<Manager> manager_;
  std::stop_source stop_;
  std::thread thread_;
};

class MisuseTest : public ::testing::Test {
 protected:
  MisuseTest() { server_.Put("a", "1"); }

  EmbeddedServer server_{{.tls = false}};
};

TEST_F(MisuseTest, Destruction_InEachOfTheOrdersOfFive_EndsWell) {
  Runtime runtime;
  std::array<int, 5> order{0, 1, 2, 3, 4};
  int orders = 0;
  do {
    Program program(runtime.env(), server_);
    // Some programs end during their start, some while they work.
    if (orders % 2 == 0) {
      ASSERT_TRUE(Eventually([&] { return program.Works(); }));
    }
    for (const int which : order) {
      program.Destroy(which);
      if (which == 3) server_.Put("a", std::to_string(orders));  // its queue is destroyed
    }
    ++orders;
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(orders, 120);
}

// Each case ends something from inside a handler, which cannot wait for itself.
TEST_F(MisuseTest, End_FromInsideAHandler_IsNoDeadlock) {
  Runtime runtime;
  const Client client = Client::NewForConfig(runtime.env(), server_.ClientConfig()).OrExit();
  using Factory = std::unique_ptr<SharedInformerFactory>;
  const std::function<void(Factory&, EventHandlerRegistration&)> ends[] = {
      [](Factory& factory, auto&) { factory->Shutdown(); },
      [](Factory& factory, auto&) { factory.reset(); },
      [](Factory& factory, auto& handler) {
        static_cast<void>(factory->InformerFor<corev1::ConfigMap>().RemoveEventHandler(handler));
      },
      [](Factory& factory, auto& handler) {
        static_cast<void>(handler.Scoped());
        factory->Release(factory->InformerFor<corev1::ConfigMap>());
      }};
  enum class Kind : std::uint8_t { kAdd, kUpdate, kDelete };
  for (const Kind kind : {Kind::kAdd, Kind::kUpdate, Kind::kDelete}) {
    for (const auto& end : ends) {
      server_.Put("a", "1");
      auto factory = std::make_unique<SharedInformerFactory>(client);
      SharedInformer<corev1::ConfigMap> informer = factory->InformerFor<corev1::ConfigMap>();
      EventHandlerRegistration handler;
      std::atomic<bool> registered{false};
      std::atomic<bool> ended{false};
      const auto on = [&](Kind of) {
        if (of != kind || ended.load()) return;
        while (!registered.load()) std::this_thread::yield();
        end(factory, handler);
        ended = true;
      };
      handler = informer
                    .AddEventHandler({.on_add = [&](const auto&) { on(Kind::kAdd); },
                                      .on_update = [&](const auto&) { on(Kind::kUpdate); },
                                      .on_delete = [&](const auto&) { on(Kind::kDelete); }})
                    .OrExit();
      registered = true;
      factory->Start();
      if (kind != Kind::kAdd) {
        ASSERT_TRUE(Eventually([&] { return informer.HasSynced(); }));
        server_.Put("a", "2");
        if (kind == Kind::kDelete) server_.Delete("a");
      }
      ASSERT_TRUE(Eventually([&] { return ended.load(); }));
      static_cast<void>(informer.RemoveEventHandler(handler));  // waits for the one that ended it
    }
  }
}

TEST_F(MisuseTest, End_FromInsideAReconcile_IsNoDeadlock) {
  Runtime runtime;
  const Client client = Client::NewForConfig(runtime.env(), server_.ClientConfig()).OrExit();
  const auto manager = Manager::New(client, Quiet()).OrExit();
  std::stop_source stop;
  ControllerBuilder(*manager)
      .For<corev1::ConfigMap>()
      .Complete([&](const ReconcileContext&, const Request&) {
        stop.request_stop();
        manager->GetCache().Shutdown();
        return Result<ReconcileResult>(ReconcileResult{});
      })
      .OrExit();
  EXPECT_TRUE(manager->Start(stop.get_token()).ok());
}

TEST_F(MisuseTest, TwoRuntimes_InOneProcess_DoNotMind) {
  auto one = std::make_unique<Runtime>();
  auto two = std::make_unique<Runtime>();
  auto first = std::make_unique<Program>(one->env(), server_);
  Program second(two->env(), server_);
  ASSERT_TRUE(Eventually([&] { return first->Works() && second.Works(); }));
  first.reset();
  one.reset();
  Program third(two->env(), server_);
  EXPECT_TRUE(Eventually([&] { return third.Works(); }));
}

// Runs a separate program instead of a fork: a fork has memory known only to threads of its parent,
// which LeakSanitizer would report. The program is this test again.
TEST_F(MisuseTest, Exit_WithEverythingRunning_IsAnExit) {
  constexpr const char* kInside = "KINFORMER_TEST_EXITS";
  if (std::getenv(kInside) != nullptr) {
    static Runtime* const kRuntime = new Runtime;
    static Program program(kRuntime->env(), server_);
    ASSERT_TRUE(Eventually([&] { return program.Works(); }));
    std::exit(3);
  }
  ChildProcess child(
      {"/proc/self/exe", "--gtest_filter=MisuseTest.Exit_WithEverythingRunning_IsAnExit"},
      {std::string(kInside) + "=1"}, true);
  std::string output;
  while (const std::optional<std::string> line = child.ReadLine(seconds(60))) {
    output += *line + '\n';
  }
  EXPECT_EQ(child.Wait(seconds(60)), 3) << output;
}

TEST_F(MisuseTest, Fork_WithEverythingRunning_HurtsNobody) {
  Runtime runtime;
  Program program(runtime.env(), server_);
  ASSERT_TRUE(Eventually([&] { return program.Works(); }));
  const int status = StatusOfChild([] { _exit(5); });
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 5);
  Program another(runtime.env(), server_);
  EXPECT_TRUE(Eventually([&] { return another.Works(); }));
}

}  // namespace
}  // namespace kinformer::testing
