// client/manifests/object_requests.h
//
// ObjectRequests: the requests that apply, diff and delete send for one object of any kind.

#ifndef KINFORMER_CLIENT_MANIFESTS_OBJECT_REQUESTS_H_
#define KINFORMER_CLIENT_MANIFESTS_OBJECT_REQUESTS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/client/apply_manifests.h"
#include "kinformer/client/client.h"
#include "kinformer/client/manifests.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/rest_mapping.h"
#include "kinformer/json/json.h"

#include "client/patience.h"

namespace kinformer::internal::manifests {

// The place of an object on the server.
struct Target {
  RestMapping mapping{};
  std::string namespace_{};
  std::string name{};
  // Returns "configmap/settings" or "deployment.apps/web".
  [[nodiscard]] std::string ToString() const;
};

struct Applied {
  json::Value object{};
  bool created = false;
};

// Namespace of objects that name none, and whether another one is an error.
struct DefaultNamespace {
  std::string name{};
  bool enforced = false;
};

// One series of requests. Thread-compatible. All methods block.
class ObjectRequests {
 public:
  ObjectRequests(const Client& client, const CallOptions& call, std::string what)
      : client_(client), patience_(client.env(), call, std::move(what)) {}

  [[nodiscard]] const Client& client() const { return client_; }
  [[nodiscard]] Env& env() const { return client_.env(); }
  // Returns options with the time that is left.
  [[nodiscard]] Result<CallOptions> Left() const { return patience_.Left(); }

  // Finds out where the object of a manifest belongs.
  Result<Target> Resolve(const Manifest& manifest, const DefaultNamespace& default_) const;
  // Returns the object; nullopt if there is none.
  Result<std::optional<json::Value>> Get(const Target& target) const;
  // Returns all objects of a kind in a namespace, or in all if that is empty.
  Result<std::vector<json::Value>> List(const RestMapping& mapping, const std::string& namespace_,
                                        const std::string& label_selector) const;
  Result<Applied> Apply(const Target& target, const json::Value& object,
                        const PatchOptions& options) const;
  // Deletes this incarnation.
  Result<void> Delete(const Target& target, const std::string& uid, bool dry_run) const;

 private:
  const Client& client_;
  const client::Patience patience_;
};

// Returns the place in front of the error, and reason and details as they are.
Error At(const std::string& place, Error error);
// Returns the managers and fields of an error of server-side apply.
std::vector<FieldConflict> ConflictsOf(const Error& error);

}  // namespace kinformer::internal::manifests

#endif  // KINFORMER_CLIENT_MANIFESTS_OBJECT_REQUESTS_H_
