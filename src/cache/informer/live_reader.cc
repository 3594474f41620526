#include "kinformer/internal/live_reader.h"

#include <utility>

#include "kinformer/internal/indexer_core.h"

namespace kinformer::internal {
namespace {

// Turns a 404 that names no object into kNotSynced: the resource itself is missing, for example
// before its definition exists, which must not look like a missing object.
Error Explained(Error error, const KindInfo& type) {
  if (!IsNotFound(error) || !error.details().name.empty()) return error;
  return Error(Reason::kNotSynced, "the server does not have " + std::string(type.resource) +
                                       "; is there a CustomResourceDefinition? " + error.message());
}

}  // namespace

Result<std::string> NamespaceOfCall(const KindInfo& type, const std::string& home,
                                    std::string_view said, std::string_view name) {
  if (home.empty() || !type.namespaced || said == home) return std::string(said);
  if (said.empty()) return home;
  std::string what(type.resource);
  if (!name.empty()) what += " \"" + std::string(name) + '"';
  return Error(Reason::kInvalidArgument, what + " in namespace \"" + std::string(said) +
                                             "\": this client is for namespace \"" + home +
                                             "\" only (WithNamespace)");
}

LiveReader::LiveReader(std::optional<ResourceCore> server, const KindInfo& type,
                       Namespaces namespaces)
    : server_(std::move(server)), type_(&type), namespaces_(std::move(namespaces)) {}

LiveReader LiveReader::In(std::string home) const {
  LiveReader bound = *this;
  bound.home_ = std::move(home);
  return bound;
}

Result<void> LiveReader::MayAsk(std::string_view namespace_) const {
  if (!server_) {
    return Error(Reason::kInvalidArgument,
                 std::string(type_->resource) +
                     " cannot be read from the server: the factory was made without a Client");
  }
  if (namespace_.empty() || namespaces_.empty() || namespaces_.contains(namespace_)) return {};
  return Error(Reason::kOutOfScope, "the factory does not look at " + std::string(type_->resource) +
                                        " in namespace \"" + std::string(namespace_) +
                                        "\": its options name others");
}

Result<ObjectRef> LiveReader::Get(std::string_view namespace_, std::string_view name,
                                  const CallOptions& call) const {
  Result<std::string> where = NamespaceOfCall(*type_, home_, namespace_, name);
  if (!where) return std::move(where).error();
  if (Result<void> fits = CheckNamespace(*type_, *where, name); !fits) {
    return std::move(fits).error();
  }
  if (Result<void> may = MayAsk(*where); !may) return std::move(may).error();
  Result<ObjectRef> object = server_->InNamespace(*std::move(where)).Get(name, {}, call);
  if (!object) return Explained(std::move(object).error(), *type_);
  return object;
}

Result<void> LiveReader::ListInto(std::vector<ObjectRef>& all, const std::string& namespace_,
                                  const ListOptions& options, const CallOptions& call) const {
  const ResourceCore there = server_->InNamespace(namespace_);
  Result<ListedObjects> listed =
      options.limit > 0 ? there.ListPage(options, call) : there.List(options, call);
  if (!listed) return Explained(std::move(listed).error(), *type_);
  if (listed->unreadable > 0) {
    return Error(Reason::kUnreadable, std::to_string(listed->unreadable) + " of the " +
                                          std::string(type_->resource) +
                                          " are malformed; the log names them");
  }
  for (ObjectRef& object : listed->items) all.push_back(std::move(object));
  return {};
}

Result<std::vector<ObjectRef>> LiveReader::List(std::string_view namespace_,
                                                const LabelSelector& selector,
                                                const CallOptions& call,
                                                const FieldSelector& fields,
                                                std::size_t limit) const {
  std::vector<ObjectRef> all;
  const Result<std::string> said = NamespaceOfCall(*type_, home_, namespace_, "");
  if (!said) return said.error();
  if (Result<void> may = MayAsk(*said); !may) return std::move(may).error();
  const bool nowhere = !type_->namespaced && !said->empty();
  if (nowhere || selector.MatchesNothing()) return all;
  Namespaces where = namespaces_;
  if (!said->empty() || where.empty()) where = {*said};
  ListOptions options{.labelSelector = selector.ToString(), .fieldSelector = fields.ToString()};
  for (const std::string& one : where) {
    if (limit > 0) {
      if (all.size() >= limit) break;
      options.limit = static_cast<std::int64_t>(limit - all.size());
    }
    if (Result<void> done = ListInto(all, one, options, call); !done) {
      return std::move(done).error();
    }
  }
  if (limit > 0 && all.size() > limit) all.resize(limit);
  return all;
}

}  // namespace kinformer::internal
