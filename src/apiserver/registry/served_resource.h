// apiserver/registry/served_resource.h
//
// ServedResource: one resource of the server: what it is called, the rules that its objects follow,
// its objects, and who watches them. Built-in ones are made from the registry, custom ones from
// their CustomResourceDefinition.

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
#include "kinformer/json.h"

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

// When metadata.generation goes up.
enum class GenerationRule : std::uint8_t {
  kNone,
  kSpec,
  kSpecOrAnnotations,
  kAllButMetadata,  // custom resources
};

// What becomes of an object's dependents when it is deleted and nobody says.
enum class DeletionRule : std::uint8_t {
  kBackground,  // they go, too
  kOrphan,      // they stay
  kAlone,       // it can have none, whatever a delete says: no finalizer is set for them
};

// One version in which a resource is served. Constant once made; shared by answers under way.
struct ServedVersion {
  std::string version{};
  std::string api_version{};  // "apps/v1"
  std::string kind{};
  bool served = true;
  bool storage = true;
  std::string deprecation_warning{};
  // Null for custom resources.
  const internal::MessageDescriptor* message = nullptr;
  // Of a built-in kind that is stored in another form; null: objects are stored as this version has
  // them, but for its name.
  const Conversion* conversion = nullptr;
  internal::table::Columns columns{};  // of custom resources
  std::shared_ptr<const StructuralSchema> schema{};
  // The fields of the resource that selectors may name in this version; of custom resources.
  std::vector<std::string> selectable{};
  // What stands before a stored object's body: `{"kind":"Pod","apiVersion":"v1",`.
  std::string head{};
  // The start of a watch frame, by event type; and the same after the end of the frame before it,
  // so that a run of frames needs two pieces each.
  std::array<std::string, 3> frame_start{};
  std::array<std::string, 3> frame_next{};

  static std::shared_ptr<const ServedVersion> Make(ServedVersion version);

  // 400: a body that is no object of this version, and why.
  [[nodiscard]] Error NotHandled(std::string_view why) const;
};

struct Subresource {
  std::string name{};
  std::string group{};
  std::string version{};
  std::string kind{};
  std::vector<std::string> verbs{};
  // The one version of the resource that has it; empty: all have it.
  std::string only_version{};
  // Where the scale of a custom resource is found: ".spec.replicas".
  std::string spec_path{};
  std::string status_path{};
  std::string selector_path{};
  [[nodiscard]] bool HasVerb(std::string_view verb) const;
  [[nodiscard]] bool IsIn(std::string_view resource_version) const {
    return only_version.empty() || only_version == resource_version;
  }
};

// The objects in a version in which they are not stored, as a webhook has converted them: what
// lists and watches of that version read.
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
  // Most preferred first.
  std::vector<std::shared_ptr<const ServedVersion>> versions{};

  GenerationRule generation = GenerationRule::kNone;
  DeletionRule deletion = DeletionRule::kBackground;
  NameRule name_rule = NameRule::kSubdomain;
  bool create_on_update = false;
  bool unconditional_update = true;
  // Deleting answers with the object, not with a Status.
  bool delete_returns_object = false;
  // After metadata.name and metadata.namespace, which every resource has.
  std::vector<SelectableField> fields{};
  // What the definition says, and the names that it has been given; of custom resources.
  std::shared_ptr<const DefinedResource> defined{};
  json::Value accepted_names{};
  // No creates: its definition is being deleted.
  bool terminating = false;
  // The names of its versions, and of those that it has had: what StoredObject::form counts in, of
  // custom resources. It only grows.
  std::shared_ptr<const std::vector<std::string>> forms{};
  // With a webhook that converts: whether there may be objects in store that were stored when
  // another version was the storage version.
  bool mixed_forms = false;
  // By version; of those that somebody has read and a webhook converts.
  std::map<std::string, std::shared_ptr<ConvertedObjects>> converted{};

  // In the resource of another group or version in whose form the objects are stored, and with
  // which this one shares its store and its watchers; null: in this one. (conversion.h)
  std::shared_ptr<ServedResource> stored{};
  std::shared_ptr<ResourceStore> store{};
  std::shared_ptr<WatchHub> watchers = std::make_shared<WatchHub>();

  // Is it that built-in resource?
  [[nodiscard]] bool Is(std::string_view in_group, std::string_view of_plural) const {
    return !custom && plural == of_plural && group == in_group;
  }
  [[nodiscard]] bool HasVerb(std::string_view verb) const;
  // The object as it is now, or null. The namespace does not matter where there are none.
  [[nodiscard]] StoredObjectPtr Find(std::string_view namespace_, std::string_view name) const {
    return store->Get(StorageKey(namespaced ? namespace_ : std::string_view(), name));
  }
  // Null where that version has none of that name.
  [[nodiscard]] const Subresource* FindSubresource(std::string_view name,
                                                   std::string_view version) const;
  // The version in which objects are stored; null: `versions` says nothing of it.
  [[nodiscard]] std::shared_ptr<const ServedVersion> StorageVersion() const;
  // The place of a version in `forms`. REQUIRES: it is there, or the resource is built in.
  [[nodiscard]] std::uint32_t FormOf(std::string_view version) const;
  // Ends all watches.
  void CloseWatches() const;
  // Forgets what has been converted, which is not what it would be now, and ends its watches.
  void DropConverted();
  // Null where that version is not served.
  [[nodiscard]] std::shared_ptr<const ServedVersion> FindVersion(std::string_view version) const;
  [[nodiscard]] MetadataRules metadata_rules() const;
  [[nodiscard]] ErrorSubject Subject(std::string_view name) const {
    return {.group = group, .resource = plural, .name = name};
  }
  [[nodiscard]] ErrorSubject KindSubject(std::string_view name) const {
    return {.group = stored == nullptr ? group : stored->group, .resource = kind, .name = name};
  }
};

// The rules of a built-in resource: generation, names, what PUT may do, what field selectors may
// name.
void ApplyBuiltinRules(ServedResource& resource);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_SERVED_RESOURCE_H_
