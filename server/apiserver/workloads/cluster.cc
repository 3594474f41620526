#include "apiserver/workloads/cluster.h"

#include <utility>

#include "apiserver/workloads/object_parts.h"

namespace kinformer::apiserver::workloads {
namespace {

// Returns the object's entry in the index of owners.
std::string OwnerEntry(const json::Value& object) {
  const std::string& uid = ControllerOf(object)["uid"].StringOrEmpty();
  return uid.empty() ? "/" + NamespaceOf(object) : uid;
}

}  // namespace

void Cluster::Drop(Index& index, const std::string& at, const std::string& key) {
  const auto found = index.find(at);
  if (found == index.end()) return;
  found->second.erase(key);
  if (found->second.empty()) index.erase(found);
}

std::optional<json::Value> Cluster::Put(Kind kind, json::Value object) {
  const std::string key = KeyOf(object);
  std::optional<json::Value> before = Remove(kind, key);
  Table& table = tables_[static_cast<std::size_t>(kind)];
  table.by_owner[OwnerEntry(object)].insert(key);
  if (kind == Kind::kPod) pods_by_node_[Text(object, "/spec/nodeName")].insert(key);
  table.objects.insert_or_assign(key, std::move(object));
  return before;
}

std::optional<json::Value> Cluster::Remove(Kind kind, const std::string& key) {
  Table& table = tables_[static_cast<std::size_t>(kind)];
  const auto found = table.objects.find(key);
  if (found == table.objects.end()) return std::nullopt;
  Drop(table.by_owner, OwnerEntry(found->second), key);
  if (kind == Kind::kPod) Drop(pods_by_node_, Text(found->second, "/spec/nodeName"), key);
  std::optional<json::Value> removed = std::move(found->second);
  table.objects.erase(found);
  return removed;
}

void Cluster::Clear() {
  tables_ = {};
  pods_by_node_.clear();
}

const json::Value* Cluster::Find(Kind kind, const std::string& key) const {
  const auto& objects = TableOf(kind).objects;
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : &found->second;
}

const json::Value* Cluster::Find(Kind kind, std::string_view namespace_,
                                 std::string_view name) const {
  return Find(kind, JoinedKey(namespace_, name));
}

const std::map<std::string, json::Value>& Cluster::All(Kind kind) const {
  return TableOf(kind).objects;
}

Objects Cluster::In(Kind kind, std::string_view namespace_) const {
  const auto& objects = TableOf(kind).objects;
  const std::string prefix = std::string(namespace_) + "/";
  Objects out;
  for (auto at = objects.lower_bound(prefix); at != objects.end() && at->first.starts_with(prefix);
       ++at) {
    out.push_back(&at->second);
  }
  return out;
}

Objects Cluster::Listed(Kind kind, const Index& index, const std::string& at) const {
  Objects out;
  const auto found = index.find(at);
  if (found == index.end()) return out;
  for (const std::string& key : found->second) out.push_back(Find(kind, key));
  return out;
}

Objects Cluster::OwnedBy(Kind kind, const std::string& uid) const {
  return Listed(kind, TableOf(kind).by_owner, uid);
}

Objects Cluster::Orphans(Kind kind, std::string_view namespace_) const {
  return Listed(kind, TableOf(kind).by_owner, "/" + std::string(namespace_));
}

Objects Cluster::PodsOn(const std::string& node) const {
  return Listed(Kind::kPod, pods_by_node_, node);
}

}  // namespace kinformer::apiserver::workloads
