#include "apiserver/discovery/meta_schemas.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinformer::apiserver {
namespace {

using json::Value;

// Members are `name:type`, by name. Types: s (string), b (boolean), i and l (integers of 32 and 64
// bits), m (map of strings), s* (list), >X (another type), >X* (list of it). A `=` after that is
// for members that OpenAPI 3 gives a default: the empty value of the type; a `!` for required ones.
struct Type {
  std::string_view name;
  std::string_view members;
};

constexpr auto kTypes = std::to_array<Type>({
    {"DeleteOptions",
     "apiVersion:s dryRun:s* gracePeriodSeconds:l "
     "ignoreStoreReadErrorWithClusterBreakingPotential:b kind:s orphanDependents:b "
     "preconditions:>Preconditions propagationPolicy:s"},
    {"FieldsV1", ""},
    {"ListMeta",
     "continue:s remainingItemCount:l resourceVersion:s selfLink:s shardInfo:>ShardInfo"},
    {"ManagedFieldsEntry",
     "apiVersion:s fieldsType:s fieldsV1:>FieldsV1 manager:s operation:s subresource:s time:>Time"},
    {"ObjectMeta",
     "annotations:m creationTimestamp:>Time deletionGracePeriodSeconds:l deletionTimestamp:>Time "
     "finalizers:s* generateName:s generation:l labels:m managedFields:>ManagedFieldsEntry* name:s "
     "namespace:s ownerReferences:>OwnerReference* resourceVersion:s selfLink:s uid:s"},
    {"OwnerReference",
     "apiVersion:s=! blockOwnerDeletion:b controller:b kind:s=! name:s=! uid:s=!"},
    {"Patch", ""},
    {"Preconditions", "resourceVersion:s uid:s"},
    {"Scale", "apiVersion:s kind:s metadata:>ObjectMeta= spec:>ScaleSpec= status:>ScaleStatus="},
    {"ScaleSpec", "replicas:i="},
    {"ScaleStatus", "replicas:i=! selector:s"},
    {"ShardInfo", "selector:s=!"},
    {"Status",
     "apiVersion:s code:i details:>StatusDetails kind:s message:s metadata:>ListMeta= reason:s "
     "status:s"},
    {"StatusCause", "field:s message:s reason:s"},
    {"StatusDetails", "causes:>StatusCause* group:s kind:s name:s retryAfterSeconds:i uid:s"},
});

// The groups and versions in which a client may send DeleteOptions. `more`: OpenAPI 2 only.
struct Group {
  std::string_view name;
  std::string_view versions;
  bool more = false;
};

constexpr auto kGroups = std::to_array<Group>({
    {"", "v1"},
    {"admission.k8s.io", "v1 v1beta1", true},
    {"admissionregistration.k8s.io", "v1 v1alpha1 v1beta1"},
    {"apiextensions.k8s.io", "v1 v1beta1", true},
    {"apiregistration.k8s.io", "v1 v1beta1", true},
    {"apps", "v1 v1beta1 v1beta2"},
    {"authentication.k8s.io", "v1 v1alpha1 v1beta1"},
    {"authorization.k8s.io", "v1 v1beta1"},
    {"autoscaling", "v1 v2"},
    {"batch", "v1 v1beta1"},
    {"certificates.k8s.io", "v1 v1alpha1 v1beta1"},
    {"coordination.k8s.io", "v1 v1alpha2 v1beta1"},
    {"discovery.k8s.io", "v1 v1beta1"},
    {"events.k8s.io", "v1 v1beta1"},
    {"extensions", "v1beta1"},
    {"flowcontrol.apiserver.k8s.io", "v1 v1beta1 v1beta2 v1beta3"},
    {"imagepolicy.k8s.io", "v1alpha1", true},
    {"internal.apiserver.k8s.io", "v1alpha1"},
    {"lifecycle.k8s.io", "v1alpha1"},
    {"networking.k8s.io", "v1 v1beta1"},
    {"node.k8s.io", "v1 v1alpha1 v1beta1"},
    {"policy", "v1 v1beta1"},
    {"rbac.authorization.k8s.io", "v1 v1alpha1 v1beta1"},
    {"resource.k8s.io", "v1 v1alpha3 v1beta1 v1beta2"},
    {"scheduling.k8s.io", "v1 v1alpha3 v1beta1"},
    {"storage.k8s.io", "v1 v1alpha1 v1beta1"},
    {"storagemigration.k8s.io", "v1 v1beta1"},
});

// Calls `each` with every word of a text.
template <class Each>
void ForWords(std::string_view text, const Each& each) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

bool TakeEnd(char mark, std::string_view& text) {
  const bool there = text.ends_with(mark);
  if (there) text.remove_suffix(1);
  return there;
}

Value Typed(std::string_view type, std::string_view format = {}) {
  Value out = Value::MakeObject({{"type", type}});
  if (!format.empty()) out.Set("format", format);
  return out;
}

Value Scalar(char type) {
  switch (type) {
    case 'b':
      return Typed("boolean");
    case 'i':
      return Typed("integer", "int32");
    case 'l':
      return Typed("integer", "int64");
    case 'm': {
      Value map = Typed("object");
      map.Set("additionalProperties", Typed("string"));
      return map;
    }
    default:
      return Typed("string");
  }
}

Value ListOf(std::string_view member, Value items) {
  Value out = Typed("array");
  out.Set("items", std::move(items));
  if (member == "finalizers") {
    out.Set("x-kubernetes-list-type", "set");
    out.Set("x-kubernetes-patch-strategy", "merge");
  } else if (member == "ownerReferences") {
    out.Set("x-kubernetes-list-map-keys", Value::MakeArray({"uid"}));
    out.Set("x-kubernetes-list-type", "map");
    out.Set("x-kubernetes-patch-merge-key", "uid");
    out.Set("x-kubernetes-patch-strategy", "merge");
  } else {
    out.Set("x-kubernetes-list-type", "atomic");
  }
  return out;
}

Value Kind(std::string_view group, std::string_view version, std::string_view kind) {
  return Value::MakeObject({{"group", group}, {"version", version}, {"kind", kind}});
}

// Returns the kinds that the type is; null for most.
Value KindsOf(std::string_view name, OpenApiVersion form) {
  if (name == "Status") return Value::MakeArray({Kind("", "v1", name)});
  if (name == "Scale") return Value::MakeArray({Kind("autoscaling", "v1", name)});
  if (name != "DeleteOptions") return {};
  Value out = Value::MakeArray();
  for (const Group& group : kGroups) {
    if (group.more && form == OpenApiVersion::kV3) continue;
    ForWords(group.versions,
             [&](std::string_view version) { out.Append(Kind(group.name, version, name)); });
  }
  return out;
}

Value Member(std::string_view name, std::string_view type, bool by_default, OpenApiVersion form,
             MetaSchema& made) {
  const bool list = TakeEnd('*', type);
  Value out;
  if (type.starts_with('>')) {
    made.refers_to.emplace_back(type.substr(1));
    const std::string full = MetaSchemaName(type.substr(1));
    out = list ? SchemaReference(form, full) : MemberReference(form, full);
  } else {
    out = Scalar(type[0]);
  }
  if (by_default && form == OpenApiVersion::kV3) {
    out.Set("default", type[0] == 's'   ? Value("")
                       : type[0] == 'i' ? Value(0)
                                        : Value::MakeObject());
  }
  return list ? ListOf(name, std::move(out)) : out;
}

}  // namespace

std::string MetaSchemaName(std::string_view name) {
  return (name.starts_with("Scale") ? "io.k8s.api.autoscaling.v1."
                                    : "io.k8s.apimachinery.pkg.apis.meta.v1.") +
         std::string(name);
}

MetaSchema MetaSchemaOf(std::string_view name, OpenApiVersion form) {
  if (name == "Time") return {.schema = Typed("string", "date-time")};
  MetaSchema made{.schema = Typed("object")};
  const auto found = std::find_if(kTypes.begin(), kTypes.end(),
                                  [&](const Type& type) { return type.name == name; });
  Value properties = Value::MakeObject();
  Value required = Value::MakeArray();
  ForWords(found == kTypes.end() ? std::string_view() : found->members,
           [&](std::string_view member) {
             const std::size_t colon = member.find(':');
             const std::string_view member_name = member.substr(0, colon);
             std::string_view type = member.substr(colon + 1);
             if (TakeEnd('!', type)) required.Append(member_name);
             const bool by_default = TakeEnd('=', type);
             properties.Set(member_name, Member(member_name, type, by_default, form, made));
           });
  if (required.size() > 0) made.schema.Set("required", std::move(required));
  if (properties.size() > 0) made.schema.Set("properties", std::move(properties));
  if (name == "OwnerReference") made.schema.Set("x-kubernetes-map-type", "atomic");
  if (Value kinds = KindsOf(name, form); !kinds.is_null()) {
    made.schema.Set("x-kubernetes-group-version-kind", std::move(kinds));
  }
  return made;
}

}  // namespace kinformer::apiserver
