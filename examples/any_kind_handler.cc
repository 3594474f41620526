// One handler for objects of any kind. It uses their metadata, which all kinds have.

#include <iostream>
#include <syncstream>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/base.h"
#include "kinformer/cache.h"
#include "kinformer/client.h"
#include "kinformer/object.h"

using kinformer::Object;

class Audit : public kinformer::ResourceEventHandler<Object> {
 public:
  void OnAdd(const kinformer::Added<Object>& e) override { Line("+", e.object); }
  void OnUpdate(const kinformer::Updated<Object>& e) override { Line("~", e.new_object); }
  void OnDelete(const kinformer::Deleted<Object>& e) override { Line("-", e.object); }

 private:
  static void Line(const char* what, Object object) {
    std::osyncstream(std::cout) << what
                                << ' ' + std::string(object.kind()) + ' ' +
                                       std::string(object.metadata().name()) + '\n'
                                << std::flush;
  }
};

int main() {
  kinformer::StopSource stop = kinformer::StopOnSignals();
  auto client = kinformer::Client::FromEnvironment().OrExit();
  kinformer::SharedInformerFactory factory(client);
  const std::shared_ptr<kinformer::ResourceEventHandler<Object>> audit = std::make_shared<Audit>();
  const auto of_pods =
      factory.InformerFor<kinformer::corev1::Pod>().AddEventHandler(audit).OrExit().Scoped();
  const auto of_services =
      factory.InformerFor<kinformer::corev1::Service>().AddEventHandler(audit).OrExit().Scoped();
  const auto of_deployments =
      factory.InformerFor<kinformer::appsv1::Deployment>().AddEventHandler(audit).OrExit().Scoped();
  factory.Start();
  factory.WaitForCacheSync(stop.token()).OrExit();
  std::osyncstream(std::cout) << "auditing" << std::endl;
  stop.Wait();
}
