// apiserver/registry/served_resource.h
//
// ServedResource: one resource of the server: its names, the rules for its objects, the stored
// objects and their watchers. Built-in resources are made from the registry, custom ones from their
// CustomResourceDefinition.

#ifndef KINFORMER_APISERVER_REGISTRY_SERVED_RESOURCE_H_
#define KINFORMER_APISERVER_REGISTRY_SERVED_RESOURCE_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/descriptor.h"
#include "kinformer/json/json.h"

#include "apiserver/errors/status.h"
#include "apiserver/schema/metadata_rules.h"
#include "apiserver/schema/structural_schema.h"
#include "apiserver/store/resource_store.h"
#include "apiserver/store/stored_object.h"
#include "apiserver/store/watch_hub.h"
#include "table/columns.h"

namespace kinformer::apiserver {

struct Conversion;
struct DefinedResource;

// Writes that increase metadata.generation.
enum class GenerationRule : std::uint8_t {
  kNone,
  kSpec,
  kSpecOrAnnotations,
  kAllButMetadata,  // custom resources
};

// Default propagation of an object's deletion to its dependents.
enum class DeletionRule : std::uint8_t {
  kBackground,  // deletes the dependents
  kOrphan,      // keeps the dependents
  kAlone,       // the kind has no dependents; no finalizer is set, whatever a delete requests
};

// One served version of a resource. Immutable; shared with responses under way.
struct ServedVersion {
  std::string version{};
  std::string api_version{};  // "apps/v1"
  std::string kind{};
  bool served = true;
  bool storage = true;
  std::string deprecation_warning{};
  // Set for built-in resources; null for custom ones.
  const internal::MessageDescriptor* message = nullptr;
  // Conversion of a built-in kind that is stored in another form; null: objects are stored in this
  // form, except for its name.
  const Conversion* conversion = nullptr;
  internal::table::Columns columns{};  // set for custom resources
  std::shared_ptr<const StructuralSchema> schema{};
  // Fields that selectors may name in this version; set for custom resources.
  std::vector<std::string> selectable{};
  // Text in front of a stored object's body: `{"kind":"Pod","apiVersion":"v1",`.
  std::string head{};
  // Beginning of a watch frame, by event type; frame_next also ends the frame before it, so that
  // each frame in a run needs only two pieces.
  std::array<std::string, 3> frame_start{};
  std::array<std::string, 3> frame_next{};

  static std::shared_ptr<const ServedVersion> Make(ServedVersion version);

  // Returns the 400 for a body that is no object of this version; `why` explains it.
  [[nodiscard]] Error NotHandled(std::string_view why) const;
};

struct Subresource {
  std::string name{};
  std::string group{};
  std::string version{};
  std::string kind{};
  std::vector<std::string> verbs{};
  // The only version of the resource that has it; empty: all versions.
  std::string only_version{};
  // Paths of a custom resource's scale: ".spec.replicas".
  std::string spec_path{};
  std::string status_path{};
  std::string selector_path{};
  [[nodiscard]] bool HasVerb(std::string_view verb) const;
  [[nodiscard]] bool IsIn(std::string_view resource_version) const {
    return only_version.empty() || only_version == resource_version;
  }
};

// Objects that a webhook has converted to a version in which they are not stored. Lists and watches
// of that version read them.
struct ConvertedObjects {
  std::shared_ptr<ResourceStore> store{};
  std::shared_ptr<WatchHub> watchers = std::make_shared<WatchHub>();
};

struct ServedResource {
  std::string group{};
  std::string kind{};
  std::string list_kind{};
  std::string plural{};
  std::string singular{};
  bool namespaced = false;
  bool custom = false;
  std::vector<std::string> short_names{};
  std::vector<std::string> categories{};
  std::vector<std::string> verbs{};
  std::vector<Subresource> subresources{};
  // Sorted by preference, best first.
  std::vector<std::shared_ptr<const ServedVersion>> versions{};

  GenerationRule generation = GenerationRule::kNone;
  DeletionRule deletion = DeletionRule::kBackground;
  NameRule name_rule = NameRule::kSubdomain;
  bool create_on_update = false;
  bool unconditional_update = true;
  // Deleting returns the object and not a Status.
  bool delete_returns_object = false;
  // Selectable fields besides metadata.name and metadata.namespace, which every resource has.
  std::vector<SelectableField> fields{};
  // Custom resources: the parsed definition, and its status.acceptedNames.
  std::shared_ptr<const DefinedResource> defined{};
  json::Value accepted_names{};
  // Rejects creates, since the definition is being deleted.
  bool terminating = false;
  // Custom resources: names of all present and former versions. StoredObject::form is an index into
  // it. It only grows.
  std::shared_ptr<const std::vector<std::string>> forms{};
  // With a conversion webhook: whether the store may have objects written under another storage
  // version.
  bool mixed_forms = false;
  // By version name; only versions that a webhook converts to and that have been read.
  std::map<std::string, std::shared_ptr<ConvertedObjects>> converted{};

  // Resource of another group or version in whose form the objects are stored, and whose store and
  // watchers this one shares; null: stored in this one. (conversion.h)
  std::shared_ptr<ServedResource> stored{};
  std::shared_ptr<ResourceStore> store{};
  std::shared_ptr<WatchHub> watchers = std::make_shared<WatchHub>();

  // Returns whether this is the built-in resource of that name.
  [[nodiscard]] bool Is(std::string_view in_group, std::string_view of_plural) const {
    return !custom && plural == of_plural && group == in_group;
  }
  [[nodiscard]] bool HasVerb(std::string_view verb) const;
  // Returns the current object, or null. Ignores the namespace for cluster-scoped resources.
  [[nodiscard]] StoredObjectPtr Find(std::string_view namespace_, std::string_view name) const {
    return store->Get(StorageKey(namespaced ? namespace_ : std::string_view(), name));
  }
  // Returns null where that version has no such subresource.
  [[nodiscard]] const Subresource* FindSubresource(std::string_view name,
                                                   std::string_view version) const;
  // Returns the storage version; null if `versions` has none.
  [[nodiscard]] std::shared_ptr<const ServedVersion> StorageVersion() const;
  // Returns the index of a version in `forms`. REQUIRES: it exists, or the resource is built in.
  [[nodiscard]] std::uint32_t FormOf(std::string_view version) const;
  // Ends all watches, cleanly or with 410.
  void CloseWatches() const;
  void ExpireWatches() const;
  // Discards the converted objects, which are outdated, and ends their watches.
  void DropConverted();
  // Returns null where that version is not served.
  [[nodiscard]] std::shared_ptr<const ServedVersion> FindVersion(std::string_view version) const;
  [[nodiscard]] MetadataRules metadata_rules() const;
  [[nodiscard]] ErrorSubject Subject(std::string_view name) const {
    return {.group = group, .resource = plural, .name = name};
  }
  [[nodiscard]] ErrorSubject KindSubject(std::string_view name) const {
    return {.group = stored == nullptr ? group : stored->group, .resource = kind, .name = name};
  }
};

// Sets the rules of a built-in resource: generation, names, allowed effects of PUT, selectable
// fields.
void ApplyBuiltinRules(ServedResource& resource);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_SERVED_RESOURCE_H_
