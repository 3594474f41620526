// Functions with signatures as in Go, which hide the functions that they should override, and
// functions that change a copy.
// case handler_as_in_go: nobody calls this OnAdd: it is called with the event alone
// case update_as_in_go: nobody calls this OnUpdate: it is called with the event alone
// case delete_as_in_go: nobody calls this OnDelete: it is called with the event alone
// case filtered_handler_as_in_go: nobody calls this OnAdd: it is called with the event alone
// case any_handler_as_in_go: nobody calls this OnAdd: it is called with the event alone
// case create_as_in_go: nobody calls this ValidateCreate, so all is let in: write
// case update_without_warnings: nobody calls this ValidateUpdate, so all is let in: write
// case delete_without_request: nobody calls this ValidateDelete, so all is let go: write
// case handler_of_validator: nobody calls this ValidateCreate, so all is let in: write
// case leads_as_in_go: nobody calls NeedLeaderElection: who runs without leading says so
// case group_of_argument: nobody calls this group\(\): write RunnableGroup group\(\) const override
// case ready_without_stop: nobody calls this WaitUntilReady: write Result<void> WaitUntilReady
// case warmup_without_stop: nobody calls this Warmup: write Result<void> Warmup
// case defaulter_of_copy: this function would change a copy, which is lost: take the struct by ref
// case handler_of_defaulter_of_copy: this function would change a copy, which is lost
// case finalizer_of_copy: this function would change a copy, which is lost
// case mutate_of_copy: this function would change a copy, which is lost
// case conversion_of_copy: this function would change a copy, which is lost
// case derived_predicate: a predicate is a value with functions, and nothing to derive from

#include <memory>
#include <stop_token>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/controllerutil.h"
#include "kinformer/controller/finalizers.h"
#include "kinformer/controller/manager.h"
#include "kinformer/object/object.h"
#include "kinformer/webhook/conversion.h"
#include "kinformer/webhook/webhook_server.h"

using kinformer::Added;
using kinformer::Object;
using kinformer::ResourceEventHandler;
using kinformer::Result;
using kinformer::corev1::Pod;
namespace admission = kinformer::admission;
namespace predicate = kinformer::predicate;

struct Good : ResourceEventHandler<Pod> {
  using ResourceEventHandler<Pod>::OnAdd;
  void OnAdd(const Pod&, bool) {}
  void OnUpdate(const kinformer::Updated<Pod>&) override {}
};
class Private : public ResourceEventHandler<Pod> {
  void OnAdd(const Added<Pod>&) override {}
};

#ifndef CORRECT
struct GoAdd : ResourceEventHandler<Pod> {
  void OnAdd(const Pod&, bool) {}
};
struct GoUpdate : ResourceEventHandler<Pod> {
  void OnUpdate(const Pod&, const Pod&) {}
};
struct GoDelete : ResourceEventHandler<Pod> {
  void OnDelete(const Pod&) {}
};
struct GoAny : ResourceEventHandler<Object> {
  void OnAdd(const Pod&) {}
};
struct GoCreate : admission::Validator<Pod> {
  Result<admission::Warnings> ValidateCreate(const Pod&) { return admission::Warnings(); }
};
struct ShortUpdate : admission::Validator<Pod> {
  Result<void> ValidateUpdate(const admission::Request&, const Pod&, const Pod&) { return {}; }
};
struct ShortDelete : admission::Validator<Pod> {
  Result<void> ValidateDelete(const Pod&, admission::Warnings&) { return {}; }
};
#endif

struct GoodValidator : admission::Validator<Pod> {
  Result<void> ValidateCreate(const admission::Request&, const Pod&,
                              admission::Warnings&) override {
    return {};
  }
};

struct Server : kinformer::Runnable {
  Result<void> Start(const std::stop_token&) override { return {}; }
};
#ifndef CORRECT
struct Follower : Server {
  [[nodiscard]] static bool NeedLeaderElection() { return false; }
};
struct Grouped : Server {
  static kinformer::RunnableGroup group(int) { return kinformer::RunnableGroup::kOthers; }
};
struct Ready : Server {
  Result<void> WaitUntilReady() { return {}; }
};
struct Warm : Server {
  Result<void> Warmup() { return {}; }
};
#endif

struct OnlyNew : predicate::Predicate<Pod> {
  static bool Update(const kinformer::Updated<Pod>&) { return false; }
};

void Use(kinformer::SharedInformer<Pod>& pods, kinformer::WebhookServer& server,
         kinformer::Manager& manager) {
#if defined(handler_as_in_go)
  pods.AddEventHandler(std::make_shared<GoAdd>()).OrExit();
#elif defined(update_as_in_go)
  pods.AddEventHandler(std::make_shared<GoUpdate>()).OrExit();
#elif defined(delete_as_in_go)
  pods.AddEventHandler(std::make_shared<GoDelete>()).OrExit();
#elif defined(filtered_handler_as_in_go)
  pods.AddEventHandler(kinformer::FilteringResourceEventHandler<Pod>([](Pod) { return true; },
                                                                     std::make_shared<GoAdd>()))
      .OrExit();
#elif defined(any_handler_as_in_go)
  pods.AddEventHandler(std::make_shared<GoAny>()).OrExit();
#elif defined(create_as_in_go)
  server.RegisterValidator<Pod>(std::make_shared<GoCreate>()).OrExit();
#elif defined(update_without_warnings)
  server.RegisterValidator<Pod>(std::make_shared<ShortUpdate>()).OrExit();
#elif defined(delete_without_request)
  server.RegisterValidator<Pod>(std::make_shared<ShortDelete>()).OrExit();
#elif defined(handler_of_validator)
  server.Register("/validate", admission::WithValidator<Pod>(std::make_shared<GoCreate>()))
      .OrExit();
#elif defined(leads_as_in_go)
  manager.Add(std::make_shared<Follower>()).OrExit();
#elif defined(group_of_argument)
  manager.Add(std::make_shared<Grouped>()).OrExit();
#elif defined(ready_without_stop)
  manager.Add(std::make_shared<Ready>()).OrExit();
#elif defined(warmup_without_stop)
  manager.Add(std::make_shared<Warm>()).OrExit();
#elif defined(defaulter_of_copy)
  server
      .RegisterDefaulter<Pod>(
          [](const admission::Request&, Pod::Mutable) -> Result<void> { return {}; })
      .OrExit();
#elif defined(handler_of_defaulter_of_copy)
  server
      .Register("/default",
                admission::WithDefaulter<Pod>(
                    [](const admission::Request&, Pod::Mutable) -> Result<void> { return {}; }))
      .OrExit();
#elif defined(finalizer_of_copy)
  kinformer::Finalizers<Pod> finalizers;
  finalizers.Register("example.com/pod", [](Pod::Mutable) -> Result<void> { return {}; }).OrExit();
#elif defined(mutate_of_copy)
  kinformer::controllerutil::CreateOrUpdate(manager.GetClient().client().For<Pod>("default"), "web",
                                            [](Pod::Mutable) -> Result<void> { return {}; })
      .OrExit();
#elif defined(conversion_of_copy)
  kinformer::Conversions conversions;
  conversions.Add<Pod, Pod>([](const Pod&, Pod::Mutable) -> Result<void> { return {}; }).OrExit();
#elif defined(derived_predicate)
  kinformer::ControllerBuilder(manager).For<Pod>(OnlyNew{});
#else
  pods.AddEventHandler(std::make_shared<Good>()).OrExit();
  pods.AddEventHandler(std::make_shared<Private>()).OrExit();
  pods.AddEventHandler(std::make_unique<Good>()).OrExit();
  pods.AddEventHandler(kinformer::FilteringResourceEventHandler<Pod>([](Pod) { return true; },
                                                                     std::make_shared<Good>()))
      .OrExit();
  pods.AddEventHandler(kinformer::FilteringResourceEventHandler<Pod>([](Pod) { return true; },
                                                                     std::make_unique<Good>()))
      .OrExit();
  const std::shared_ptr<ResourceEventHandler<Pod>> any = std::make_shared<Good>();
  pods.AddEventHandler(any).OrExit();
  server.RegisterValidator<Pod>(std::make_shared<GoodValidator>()).OrExit();
  const std::shared_ptr<admission::Validator<Pod>> validator = std::make_shared<GoodValidator>();
  server.RegisterValidator<Pod>(validator).OrExit();
  server.RegisterValidator<Pod>(std::make_unique<GoodValidator>()).OrExit();
  server.Register("/validate", admission::WithValidator<Pod>(validator)).OrExit();
  manager.Add(std::make_shared<Server>()).OrExit();
  manager.Add(std::make_unique<Server>()).OrExit();
  kinformer::ControllerBuilder(manager).For<Pod>(predicate::Predicate<Pod>());
  server
      .RegisterDefaulter<Pod>(
          [](const admission::Request&, Pod::Mutable&) -> Result<void> { return {}; })
      .OrExit();
  const admission::Defaulter<Pod> defaulter =
      [](admission::Request, const Pod::Mutable&) -> Result<void> { return {}; };
  server.RegisterDefaulter<Pod>(defaulter).OrExit();
  kinformer::Finalizers<Pod> finalizers;
  finalizers.Register("example.com/pod", [](auto&) -> Result<void> { return {}; }).OrExit();
#endif
}
