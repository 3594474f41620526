// apiserver/admission/versioned_objects.h
//
// VersionedObjects: the objects of a request in the versions in which webhooks are asked about it.

#ifndef KINFORMER_APISERVER_ADMISSION_VERSIONED_OBJECTS_H_
#define KINFORMER_APISERVER_ADMISSION_VERSIONED_OBJECTS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/admission/admission_review.h"
#include "apiserver/conversion/object_converter.h"
#include "apiserver/registry/resource_table.h"
#include "apiserver/registry/server_state.h"
#include "apiserver/request/off_loop.h"

namespace kinformer::apiserver {

// What asking webhooks takes. All must outlive who has it.
struct AdmissionParts {
  ServerState& state;
  OffLoop& off_loop;  // does what costs by the size of objects
  ObjectConverter& converter;
};

// Both objects of a request as one version of its resource shows them.
struct ShownObjects {
  std::shared_ptr<const json::Value> object{};
  std::shared_ptr<const json::Value> old{};
};

// Each form is made once, and the object's again after it has changed: where a webhook converts the
// resource, by one question about what is missing. Loop-confined; one method at a time until it is
// done. Counterpart: VersionedAttributes of k8s.io/apiserver.
class VersionedObjects {
 public:
  VersionedObjects(const AdmissionParts& parts,
                   std::shared_ptr<const AdmissionAttributes> attributes);

  // Gives what `at` shows: at once, or later on the loop. `done` may destroy this. An error is what
  // clients are told of a conversion that failed.
  void Show(const ResourceAt& at, std::function<void(Result<ShownObjects> shown)> done);
  // The object is that now, in the version of `at`, which has been shown.
  void Replace(const ResourceAt& at, json::Value object);
  [[nodiscard]] bool replaced() const { return replaced_ != nullptr; }
  // REQUIRES: Show has given it, and it has not been replaced in another version since.
  [[nodiscard]] const ShownObjects& shown(const ResourceAt& at) const {
    return shown_.at(at.version->api_version);
  }
  // The object as it is now, in some version.
  [[nodiscard]] const json::Value& latest() const;
  // Gives the object as it is now in the form in which the attributes have it, as Show does.
  using Taken = std::function<void(Result<std::shared_ptr<const json::Value>> object)>;
  void Take(Taken done);
  // Nothing is asked any more: lets go of all that there is, elsewhere where that takes long.
  void Discard();

 private:
  // Whether a webhook is between the request's version and that one.
  [[nodiscard]] bool Converts(const ResourceAt& at) const;
  void Convert(const ResourceAt& at, std::function<void(Result<ShownObjects> shown)> done);
  void Make(const ResourceAt& at, std::function<void(Result<ShownObjects> shown)> done);
  void Discard(std::shared_ptr<const json::Value> garbage) const;
  // Work, off the loop if it is much, and then the rest.
  void Do(std::function<void()> work, std::function<void()> then);

  const AdmissionParts parts_;
  const std::shared_ptr<const AdmissionAttributes> attributes_;
  std::map<std::string, ShownObjects> shown_{};    // by apiVersion
  std::shared_ptr<const json::Value> current_{};   // as Take gives it; null: it is yet to be made
  std::shared_ptr<const json::Value> replaced_{};  // null: it never was
  ResourceAt replaced_at_{};
  std::shared_ptr<void> under_way_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_ADMISSION_VERSIONED_OBJECTS_H_
