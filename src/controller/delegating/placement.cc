#include "controller/delegating/placement.h"

#include <cstddef>
#include <utility>

#include "kinformer/internal/live_reader.h"

#include "cache/store/empty_name.h"

namespace kinformer::internal::delegating {

std::string Quoted(const KindInfo& type, const ObjectName& name) {
  return std::string(type.resource) + " \"" + name.ToString() + '"';
}

Result<ObjectName> Placed(const KindInfo& type, const ObjectName& name, const std::string& home) {
  Result<std::string> where = NamespaceOfCall(type, home, name.namespace_, name.name);
  if (!where) return std::move(where).error();
  return ObjectName{*std::move(where), name.name};
}

Result<ObjectName> PlacedName(const KindInfo& type, const ObjectName& name,
                              const std::string& home) {
  // Checked first, because a name in place of the namespace is an error of another kind.
  if (name.name.empty()) {
    const std::string_view given = name.namespace_;
    const std::string_view where = given == home ? std::string_view() : given;
    return cache::EmptyName(type.resource, type.namespaced && home.empty(), where,
                            cache::NameForm::kObjectName);
  }
  Result<ObjectName> placed = Placed(type, name, home);
  if (!placed || !type.namespaced || !placed->namespace_.empty()) return placed;
  if (const std::size_t slash = name.name.find('/'); slash != std::string::npos) {
    return Error(Reason::kInvalidArgument,
                 Quoted(type, name) + ": this is a key, and a name is wanted; take it apart, {\"" +
                     name.name.substr(0, slash) + "\", \"" + name.name.substr(slash + 1) + "\"}");
  }
  return Error(
      Reason::kInvalidArgument,
      Quoted(type, name) +
          ": these objects have a namespace, and none is given; name it, {\"default\", \"" +
          name.name + "\"}, or call WithNamespace");
}

Result<ObjectName> PlacedRead(const KindInfo& type, const ObjectName& name,
                              const std::string& home) {
  Result<ObjectName> placed = PlacedName(type, name, home);
  if (!placed || type.namespaced || placed->namespace_.empty()) return placed;
  return Error(Reason::kInvalidArgument,
               Quoted(type, name) +
                   ": these objects have no namespace, and one is given; leave it out, {\"\", \"" +
                   name.name + "\"}");
}

Result<ObjectName> PlacedWrite(const KindInfo& type, const ObjectName& name,
                               const std::string& home, std::string_view where) {
  Result<ObjectName> placed = Placed(type, name, home);
  if (!placed || !type.namespaced || !placed->namespace_.empty()) return placed;
  const std::string what = name.name.empty() ? std::string(type.resource) : Quoted(type, name);
  return Error(Reason::kInvalidArgument,
               what + ": these objects have a namespace, and none is given; set " +
                   std::string(where) + ", or call WithNamespace");
}

Error OfStoppedCache(Error error, const KindInfo& type) {
  if (error.reason() != Reason::kStopped) return error;
  return Error(Reason::kStopped,
               "the cache of the " + std::string(type.resource) +
                   " that this client reads was stopped, with its manager or its factory, and may "
                   "be out of date; the server can still be read through APIReader");
}

}  // namespace kinformer::internal::delegating
