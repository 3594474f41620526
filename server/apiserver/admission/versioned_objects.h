// apiserver/admission/versioned_objects.h
//
// VersionedObjects: the objects of a request in each version in which webhooks review it.

#ifndef KINFORMER_APISERVER_ADMISSION_VERSIONED_OBJECTS_H_
#define KINFORMER_APISERVER_ADMISSION_VERSIONED_OBJECTS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/admission/admission_review.h"
#include "apiserver/conversion/object_converter.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"

namespace kinformer::apiserver {

// Dependencies of webhook calls. All must outlive their users.
struct AdmissionParts {
  ServerState& state;
  OffLoop& off_loop;  // runs work that grows with the size of objects
  ObjectConverter& converter;
};

// Both objects of a request in one version of its resource.
struct ShownObjects {
  std::shared_ptr<const json::Value> object{};
  std::shared_ptr<const json::Value> old{};
};

// Makes each version once, and the object's again after a change. Where a conversion webhook serves
// the resource, one call converts all that is missing. Loop-confined; one method at a time until it
// has completed. Counterpart: VersionedAttributes of k8s.io/apiserver.
class VersionedObjects {
 public:
  VersionedObjects(const AdmissionParts& parts,
                   std::shared_ptr<const AdmissionAttributes> attributes);

  // Passes the objects in the version of `at` to `done`, now or later on the loop. `done` may
  // destroy this. The error of a failed conversion is meant for clients.
  void Show(const ResourceAt& at, std::function<void(Result<ShownObjects> shown)> done);
  // Replaces the object by `object`, in the version of `at`. REQUIRES: `at` has been shown.
  void Replace(const ResourceAt& at, json::Value object);
  [[nodiscard]] bool replaced() const { return replaced_ != nullptr; }
  // REQUIRES: Show has delivered `at`, and the object was not replaced in another version since.
  [[nodiscard]] const ShownObjects& shown(const ResourceAt& at) const {
    return shown_.at(at.version->api_version);
  }
  // Returns the current object, in any version.
  [[nodiscard]] const json::Value& latest() const;
  // Passes the current object, in the form that the attributes have, to `done`, as Show does.
  using Taken = std::function<void(Result<std::shared_ptr<const json::Value>> object)>;
  void Take(Taken done);
  // Releases all objects, elsewhere where that takes long. REQUIRES: no call is under way.
  void Discard();

 private:
  // Returns whether a webhook converts between the request's version and `at`.
  [[nodiscard]] bool Converts(const ResourceAt& at) const;
  void Convert(const ResourceAt& at, std::function<void(Result<ShownObjects> shown)> done);
  void Make(const ResourceAt& at, std::function<void(Result<ShownObjects> shown)> done);
  void Discard(std::shared_ptr<const json::Value> garbage) const;
  // Runs `work`, off the loop if the objects are large, and then `then` on the loop.
  void Do(std::function<void()> work, std::function<void()> then);

  const AdmissionParts parts_;
  const std::shared_ptr<const AdmissionAttributes> attributes_;
  std::map<std::string, ShownObjects> shown_{};    // by apiVersion
  std::shared_ptr<const json::Value> current_{};   // as Take passes it; null: not made yet
  std::shared_ptr<const json::Value> replaced_{};  // null: never replaced
  ResourceAt replaced_at_{};
  std::shared_ptr<void> under_way_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_VERSIONED_OBJECTS_H_
