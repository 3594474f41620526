// apiserver/admission/versioned_objects.h
//
// VersionedObjects: the objects of a request in each version in which webhooks review it.

#ifndef KINFORMER_APISERVER_ADMISSION_VERSIONED_OBJECTS_H_
#define KINFORMER_APISERVER_ADMISSION_VERSIONED_OBJECTS_H_

#include <map>
#include <memory>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/admission/admission_review.h"
#include "apiserver/conversion/object_converter.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
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

  // Makes the objects in the version of `at`. Errors of failed conversions are meant for clients.
  Task<Result<void>> Show(ResourceAt at);
  // Replaces the object by `object`, in the version of `at`. REQUIRES: `at` has been shown.
  void Replace(const ResourceAt& at, json::Value object);
  [[nodiscard]] bool replaced() const { return replaced_ != nullptr; }
  // REQUIRES: `at` has been shown, and the object was not replaced in another version since.
  [[nodiscard]] const ShownObjects& shown(const ResourceAt& at) const {
    return shown_.at(at.version->api_version);
  }
  // Returns the current object, in any version.
  [[nodiscard]] const json::Value& latest() const;
  // Returns the current object, in the form that the attributes have.
  Task<Result<std::shared_ptr<const json::Value>>> Take();
  // Begins anew with the object that the attributes have now.
  void Restart();
  // Releases all objects, elsewhere where that takes long. REQUIRES: no call is under way.
  void Discard();

 private:
  // Returns whether a webhook converts between the request's version and `at`.
  [[nodiscard]] bool Converts(const ResourceAt& at) const;
  // Make the missing objects of `there`: by the webhook, and without it.
  Task<Result<void>> Convert(ResourceAt at, ShownObjects& there);
  void Make(const ResourceAt& at, ShownObjects& there) const;
  void Discard(std::shared_ptr<const json::Value> garbage) const;

  const AdmissionParts parts_;
  const std::shared_ptr<const AdmissionAttributes> attributes_;
  std::map<std::string, ShownObjects> shown_{};    // by apiVersion
  std::shared_ptr<const json::Value> current_{};   // as Take passes it; null: not made yet
  std::shared_ptr<const json::Value> replaced_{};  // null: never replaced
  ResourceAt replaced_at_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_VERSIONED_OBJECTS_H_
