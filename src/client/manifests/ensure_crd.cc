#include "kinformer/client/ensure_crd.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/task.h"
#include "kinformer/client/async_discovery.h"
#include "kinformer/client/async_resource_client.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/object/unstructured.h"

#include "client/loop_call.h"
#include "client/manifests/definition_state.h"
#include "client/manifests/object_requests.h"
#include "client/patience.h"

namespace kinformer {
namespace {

using internal::client::Patience;
using internal::manifests::At;
using json::Value;
using Definitions = AsyncResourceClient<Unstructured>;

constexpr std::chrono::milliseconds kInterval{200};

RestMapping DefinitionMapping() {
  const std::string group = "apiextensions.k8s.io";
  return {.resource = {.group = group, .version = "v1", .resource = "customresourcedefinitions"},
          .kind = {.group = group, .version = "v1", .kind = "CustomResourceDefinition"},
          .namespaced = false};
}

// Ends at its limit of time, and not before.
class Pause final : public internal::client::LoopCall {
 public:
  using LoopCall::LoopCall;

 private:
  void Begin() override {}
  void End() override {}
};

Task<void> PauseFor(Env& env, std::stop_token stop) {
  CallOptions call;
  call.stop = std::move(stop);
  call.timeout = kInterval;
  const auto pause = std::make_shared<Pause>(env);
  static_cast<void>(co_await internal::client::LoopCall::Run(pause, call));
}

// The definition on the server; nullopt if there is none.
Task<Result<std::optional<Value>>> Read(Definitions definitions, std::string name,
                                        CallOptions call) {
  Result<Ref<Unstructured>> read =
      co_await definitions.Get(name).WithStop(call.stop).WithTimeout(call.timeout);
  if (read) co_return std::optional<Value>((*read)->DeepCopy());
  if (IsNotFound(read)) co_return std::optional<Value>();
  co_return std::move(read).error();
}

// Adds the versions of stored objects that `wanted` lacks.
void KeepStoredVersions(const Value& current, Value& wanted) {
  json::Array& versions = wanted.Ensure("spec", "versions").EnsureArray();
  const auto has = [&](const Value& name) {
    return std::any_of(versions.begin(), versions.end(),
                       [&](const Value& one) { return one["name"] == name; });
  };
  for (const Value& stored : current["status"]["storedVersions"].items()) {
    if (has(stored)) continue;
    for (const Value& version : current["spec"]["versions"].items()) {
      if (!(version["name"] == stored)) continue;
      versions.push_back(version);
      versions.back().Set("storage", false);
    }
  }
}

// One definition on its way.
class Ensured {
 public:
  Ensured(const Client& client, Value definition, const EnsureCRDOptions& options,
          const CallOptions& call)
      : client_(client),
        definitions_(client.Dynamic(DefinitionMapping())),
        wanted_(std::move(definition)),
        name_(wanted_["metadata"]["name"].StringOrEmpty()),
        field_manager_(options.fieldManager),
        patience_(client.env(), Limited(options, call), "EnsureCRD") {}

  Task<Result<void>> Apply() {
    std::string lacking = "the server has not answered";
    while (true) {
      const Result<CallOptions> left = patience_.Left();
      if (!left) co_return Lacking(left.error(), lacking);
      Result<std::optional<Value>> current = co_await Read(definitions_, name_, *left);
      if (!current) co_return Lacking(current.error(), lacking);
      if (!current->has_value()) break;
      if (!(**current)["metadata"].contains("deletionTimestamp")) {
        KeepStoredVersions(**current, wanted_);
        break;
      }
      lacking = "it is still being deleted";
      co_await PauseFor(client_.env(), left->stop);
    }
    const Result<CallOptions> left = patience_.Left();
    if (!left) co_return Lacking(left.error(), lacking);
    const Patch patch{.type = PatchType::kApply, .body = wanted_.Dump()};
    PatchOptions options;
    options.fieldManager = field_manager_;
    options.force = true;
    Result<Ref<Unstructured>> applied = co_await definitions_.Patch(name_, patch, options)
                                            .WithStop(left->stop)
                                            .WithTimeout(left->timeout);
    if (!applied) co_return Lacking(applied.error(), "");
    co_return Result<void>();
  }

  Task<Result<Value>> Await() {
    std::string lacking = "it was not read yet";
    while (true) {
      const Result<CallOptions> left = patience_.Left();
      if (!left) co_return Lacking(left.error(), lacking);
      Result<std::optional<Value>> current = co_await Read(definitions_, name_, *left);
      if (!current) co_return Lacking(current.error(), lacking);
      lacking = current->has_value() ? internal::manifests::LacksToBeEstablished(**current)
                                     : "it is gone";
      if (lacking.empty()) {
        Result<std::string> unserved = co_await FirstUnserved(*left);
        if (!unserved) co_return Lacking(unserved.error(), "it is established, but not served");
        if (unserved->empty()) {
          // The answers from before lack the kind, or new versions of it.
          client_.Discovery().Invalidate();
          co_return std::move(**current);
        }
        lacking = "the server does not serve " + *unserved + " yet";
      }
      co_await PauseFor(client_.env(), left->stop);
    }
  }

 private:
  static CallOptions Limited(const EnsureCRDOptions& options, CallOptions call) {
    if (call.timeout <= Duration(0) || options.timeout < call.timeout) {
      call.timeout = options.timeout;
    }
    return call;
  }

  [[nodiscard]] Error Lacking(const Error& error, const std::string& lacking) const {
    Error out(error.reason(), error.message() + (lacking.empty() ? "" : ": " + lacking));
    out.WithDetails(error.details());
    return At("definition " + name_, std::move(out));
  }

  // Returns a version that is to be served and is not, empty if there is none.
  Task<Result<std::string>> FirstUnserved(CallOptions call) {
    const Value& spec = wanted_["spec"];
    for (const Value& version : spec["versions"].items()) {
      if (!version["served"].AsBool().value_or(false)) continue;
      const std::string group_version =
          spec["group"].StringOrEmpty() + "/" + version["name"].StringOrEmpty();
      Result<std::string> answer = co_await AsyncGetRaw(client_, "/apis/" + group_version)
                                       .WithStop(call.stop)
                                       .WithTimeout(call.timeout);
      if (IsNotFound(answer)) co_return group_version;
      if (!answer) co_return std::move(answer).error();
      const Value list = json::Parse(*answer).value_or(Value());
      const json::Array& resources = list["resources"].items();
      const bool found = std::any_of(resources.begin(), resources.end(), [&](const Value& one) {
        return one["name"] == spec["names"]["plural"];
      });
      if (!found) co_return group_version;
    }
    co_return std::string();
  }

  const Client client_;
  const Definitions definitions_;
  Value wanted_;
  const std::string name_;
  const std::string field_manager_;
  const Patience patience_;
};

Result<void> CheckDefinition(const Value& definition) {
  if (definition["kind"] != Value("CustomResourceDefinition") ||
      definition["metadata"]["name"].StringOrEmpty().empty()) {
    return Error(Reason::kInvalidArgument,
                 "EnsureCRD takes a CustomResourceDefinition with its name, as crd::Definition "
                 "makes it");
  }
  return {};
}

Task<Result<std::vector<Value>>> EnsureAll(Client client, std::vector<Value> definitions,
                                           EnsureCRDOptions options, CallOptions call) {
  std::vector<std::unique_ptr<Ensured>> all;
  for (Value& definition : definitions) {
    Result<void> good = CheckDefinition(definition);
    if (!good) co_return std::move(good).error();
    all.push_back(std::make_unique<Ensured>(client, std::move(definition), options, call));
  }
  for (const auto& one : all) {
    Result<void> applied = co_await one->Apply();
    if (!applied) co_return std::move(applied).error();
  }
  std::vector<Value> out;
  for (const auto& one : all) {
    Result<Value> ready = co_await one->Await();
    if (!ready) co_return std::move(ready).error();
    out.push_back(*std::move(ready));
  }
  co_return out;
}

Task<Result<Value>> EnsureOne(Client client, Value definition, EnsureCRDOptions options,
                              CallOptions call) {
  std::vector<Value> one;
  one.push_back(std::move(definition));
  Task<Result<std::vector<Value>>> task = EnsureAll(client, std::move(one), options, call);
  Result<std::vector<Value>> done = co_await task;
  if (!done) co_return std::move(done).error();
  co_return std::move(done->front());
}

}  // namespace

Result<Value> EnsureCRD(const Client& client, const Value& definition,
                        const EnsureCRDOptions& options, const CallOptions& call) {
  return BlockOn(client.env(), EnsureOne(client, definition, options, call));
}

Result<std::vector<Value>> EnsureCRDs(const Client& client, const std::vector<Value>& definitions,
                                      const EnsureCRDOptions& options, const CallOptions& call) {
  return BlockOn(client.env(), EnsureAll(client, definitions, options, call));
}

AsyncCall<Value> AsyncEnsureCRD(const Client& client, internal::NamedVariable<Value> definition,
                                internal::NamedVariable<EnsureCRDOptions> options) {
  return {client.env(), [client, definition = std::move(definition).Take(),
                         options = std::move(options).Take()](CallOptions call) {
            return EnsureOne(client, definition, options, std::move(call));
          }};
}

AsyncCall<std::vector<Value>> AsyncEnsureCRDs(
    const Client& client, internal::NamedVariable<std::vector<Value>> definitions,
    internal::NamedVariable<EnsureCRDOptions> options) {
  return {client.env(), [client, definitions = std::move(definitions).Take(),
                         options = std::move(options).Take()](CallOptions call) {
            return EnsureAll(client, definitions, options, std::move(call));
          }};
}

}  // namespace kinformer
