// test/integration/match_oracle.h
//
// RunMatchOracle: random writes of a DelegatingClient to a Deployment. Each that is not sent is
// sent by a client that does not compare: the server must leave the object as it is.

#ifndef KINFORMER_TEST_INTEGRATION_MATCH_ORACLE_H_
#define KINFORMER_TEST_INTEGRATION_MATCH_ORACLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1_mutable.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/internal/mutable_codec.h"
#include "kinformer/object/quantity.h"

#include "simulation/dice.h"

namespace kinformer::testing {

struct MatchReport {
  std::string wrong{};  // empty: nothing
  int writes = 0;
  int matched = 0;  // not sent
  int missed = 0;   // sent, and the server changed nothing
  int refused = 0;
};

class MatchOracle {
 public:
  // `compares` and `sends` are clients of one factory; the second one does not match.
  MatchOracle(DelegatingClient compares, DelegatingClient sends, std::uint64_t seed)
      : compares_(std::move(compares)), sends_(std::move(sends)), dice_(seed) {}

  MatchReport Run(int steps) {
    sends_.Apply(Wanted(), As("creator")).OrExit();
    for (int i = 0; i < steps && report_.wrong.empty(); ++i) Step();
    return report_;
  }

 private:
  using Deployment = appsv1::Deployment;
  using Write = std::function<Result<Ref<Deployment>>(const DelegatingClient&)>;

  static ApplyOptions As(const std::string& manager) {
    return {.fieldManager = manager, .force = true};
  }

  void Step() {
    const ObjectName name{"default", "matched"};
    const Ref<Deployment> before = compares_.Get<Deployment>(name).OrExit();
    std::string what;
    const Write write = Any(*before, name, what);
    // Most programs write what they have written before.
    const int times = dice_.OneIn(2) ? 1 : 2;
    for (int i = 0; i < times; ++i) {
      static_cast<void>(sends_.Get<Deployment>(name));  // waits for the writes of both
      const Ref<Deployment> cached = compares_.Get<Deployment>(name).OrExit();
      const std::string then(cached->metadata().resourceVersion());
      const Result<Ref<Deployment>> answer = write(compares_);
      ++report_.writes;
      if (!answer) {
        ++report_.refused;
        continue;
      }
      // The answer to a write that was not sent is the cached object itself.
      if ((*answer).object() != cached.object()) {
        if ((*answer)->metadata().resourceVersion() == then) ++report_.missed;
        continue;
      }
      ++report_.matched;
      const Result<Ref<Deployment>> sent = write(sends_);
      if (!sent) {
        report_.wrong = what + " was not sent, and is refused: " + sent.error().ToString();
      } else if ((*sent)->metadata().resourceVersion() != then) {
        report_.wrong =
            what + " was not sent, and changes " + before->ToJson() + " into " + (*sent)->ToJson();
      }
    }
  }

  Write Any(const Deployment& before, const ObjectName& name, std::string& what) {
    switch (dice_.Below(6)) {
      case 0:
      case 1: {
        const Deployment::Mutable change = Changed(before.DeepCopy());
        what = "an update";
        return [change](const DelegatingClient& client) { return client.Update(change); };
      }
      case 2:
      case 3: {
        const Patch patch = AnyPatch();
        what = "the patch " + patch.body;
        return [patch, name](const DelegatingClient& client) {
          return client.Patch<Deployment>(name, patch);
        };
      }
      default: {
        const Deployment::Mutable wanted = Wanted();
        const std::string manager = dice_.OneIn(2) ? "one" : "other";
        what = "an apply by " + manager + " of " + internal::EncodeJson(wanted);
        return [wanted, manager](const DelegatingClient& client) {
          return client.Apply(wanted, As(manager));
        };
      }
    }
  }

  Deployment::Mutable Changed(Deployment::Mutable copy) {
    if (dice_.OneIn(3)) copy.metadata.managedFields.clear();
    auto& container = copy.spec.template_.spec.containers[0];
    switch (dice_.Below(6)) {
      case 0:
        copy.spec.replicas = static_cast<std::int32_t>(1 + dice_.Below(2));
        break;
      case 1:
        container.args = Args();
        break;
      case 2:
        container.resources.limits["cpu"] = Cpu();
        break;
      case 3:
        copy.metadata.finalizers = {"example.com/a", "example.com/b"};
        if (dice_.OneIn(2)) copy.metadata.finalizers.pop_back();
        break;
      default:
        break;
    }
    return copy;
  }

  Patch AnyPatch() {
    const std::string replicas = std::to_string(1 + dice_.Below(2));
    const std::string image = Image();
    switch (dice_.Below(7)) {
      case 0:
        return {PatchType::kMergePatch, R"({"spec":{"replicas":)" + replicas + "}}"};
      case 1:
        return {PatchType::kMergePatch, R"({"metadata":{"labels":{"tier":null}}})"};
      case 2:
        return {PatchType::kMergePatch, R"({"metadata":{"finalizers":["example.com/a"]}})"};
      case 3:
        return {PatchType::kStrategicMerge,
                R"({"spec":{"template":{"spec":{"containers":[{"name":"web","image":")" + image +
                    R"(","resources":{"limits":{"cpu":"1000m"}}}]}}}})"};
      case 4:
        return {PatchType::kStrategicMerge,
                R"({"metadata":{"finalizers":["example.com/a"]},"spec":{"template":{"spec":)"
                R"({"containers":[{"name":"web","ports":[{"containerPort":80}]}]}}}})"};
      case 5:
        return {PatchType::kJsonPatch,
                R"([{"op":"replace","path":"/spec/replicas","value":)" + replicas + "}]"};
      default:
        return {PatchType::kStrategicMerge,
                R"({"spec":{"template":{"spec":{"containers":[{"name":"web","env":)"
                R"([{"name":"B","value":"b"},{"name":"A","value":"a"}]}]}}}})"};
    }
  }

  // Returns fields of a Deployment, some of them in several forms.
  Deployment::Mutable Wanted() {
    Deployment::Mutable web;
    web.metadata.namespace_ = "default";
    web.metadata.name = "matched";
    const std::map<std::string, std::string> labels{{"app", "web"}};
    web.spec.selector.emplace().matchLabels = labels;
    web.spec.template_.metadata.labels = labels;
    if (dice_.OneIn(3)) web.metadata.labels["tier"] = "front";
    if (dice_.OneIn(2)) web.spec.replicas = static_cast<std::int32_t>(1 + dice_.Below(2));
    auto& container = web.spec.template_.spec.containers.emplace_back();
    container.name = "web";
    container.image = Image();
    if (dice_.OneIn(2)) container.args = Args();
    if (dice_.OneIn(2)) container.resources.limits["cpu"] = Cpu();
    const std::array<const char*, 2> order =
        dice_.OneIn(4) ? std::array{"B", "A"} : std::array{"A", "B"};
    for (const char* name : order) {
      if (dice_.OneIn(3)) continue;
      auto& variable = container.env.emplace_back();
      variable.name = name;
      variable.value = dice_.OneIn(4) ? "other" : std::string(1, static_cast<char>(*name + 32));
    }
    if (dice_.OneIn(2)) {
      auto& port = container.ports.emplace_back();
      port.containerPort = 80;
      if (dice_.OneIn(2)) port.protocol = "TCP";
    }
    return web;
  }
  std::string Image() { return dice_.OneIn(4) ? "web:2" : "web:1"; }
  std::vector<std::string> Args() {
    if (dice_.OneIn(3)) return {"-v", "-q"};
    return {"-v"};
  }
  resource::Quantity Cpu() {
    return dice_.OneIn(3)   ? resource::Quantity::FromMilli(500)
           : dice_.OneIn(2) ? resource::Quantity::FromMilli(1000)
                            : resource::Quantity::FromInt(1);
  }

  const DelegatingClient compares_;
  const DelegatingClient sends_;
  Dice dice_;
  MatchReport report_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_MATCH_ORACLE_H_
