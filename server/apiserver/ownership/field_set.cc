#include "apiserver/ownership/field_set.h"

#include <cstddef>
#include <utility>

namespace kinformer::apiserver {
namespace {

// Deeper fields are those of no kind.
constexpr int kMaxDepth = 200;

// The fields right below come before those further down, as in kube-apiserver.
void AddPaths(const FieldSet& set, const std::string& path, std::vector<std::string>& out) {
  for (const auto& [name, child] : set.children) {
    if (child.owned) out.push_back(path + PathElement(name));
  }
  for (const auto& [name, child] : set.children) AddPaths(child, path + PathElement(name), out);
}

FieldSet Read(const json::Value& fields, int depth) {
  FieldSet out;
  // A node without children is a field of the set, and so is one with a dot.
  out.owned = depth > 0 && (fields.size() == 0 || fields.contains("."));
  if (depth > kMaxDepth) return out;
  for (const auto& [name, value] : fields.members()) {
    if (name.size() < 2 || name[1] != ':') continue;
    out.Put(name, Read(value, depth + 1));
  }
  return out;
}

}  // namespace

std::string PathElement(std::string_view name) {
  const std::string_view rest = name.substr(2);
  if (name.starts_with("v:")) return "[=" + std::string(rest) + "]";
  if (!name.starts_with("k:")) return "." + std::string(rest);
  const json::Value keys = json::Parse(rest).value_or(json::Value());
  std::string out;
  for (const auto& [key, value] : keys.members()) {
    out += (out.empty() ? "" : ",") + key + "=" + value.Dump();
  }
  return "[" + out + "]";
}

const FieldSet* FieldSet::Find(std::string_view name) const {
  const auto found = children.find(name);
  return found == children.end() ? nullptr : &found->second;
}

void FieldSet::Put(std::string name, FieldSet fields) {
  if (fields.empty()) return;
  const auto [at, fresh] = children.try_emplace(std::move(name));
  if (fresh) {
    at->second = std::move(fields);
  } else {
    at->second.Add(fields);
  }
}

void FieldSet::Add(const FieldSet& other) {
  owned = owned || other.owned;
  for (const auto& [name, child] : other.children) children[name].Add(child);
}

void FieldSet::Subtract(const FieldSet& other) {
  if (other.owned) owned = false;
  for (const auto& [name, child] : other.children) {
    const auto mine = children.find(name);
    if (mine == children.end()) continue;
    mine->second.Subtract(child);
    if (mine->second.empty()) children.erase(mine);
  }
}

void FieldSet::Remove(std::string_view first, std::string_view second) {
  const auto found = children.find(first);
  if (found == children.end()) return;
  FieldSet& field = found->second;
  if (second.empty()) {
    field.owned = false;
  } else if (const auto below = field.children.find(second); below != field.children.end()) {
    below->second.owned = false;
    if (below->second.empty()) field.children.erase(below);
  }
  if (field.empty()) children.erase(found);
}

void FieldSet::RemoveBelow(const FieldSet& other) {
  for (const auto& [name, child] : other.children) {
    const auto mine = children.find(name);
    if (mine == children.end()) continue;
    mine->second.RemoveBelow(child);
    if (child.owned || mine->second.empty()) children.erase(mine);
  }
}

FieldSet FieldSet::Common(const FieldSet& other) const {
  FieldSet out{.owned = owned && other.owned};
  for (const auto& [name, child] : other.children) {
    if (const FieldSet* const mine = Find(name)) out.Put(name, mine->Common(child));
  }
  return out;
}

std::vector<std::string> FieldSet::Paths() const {
  std::vector<std::string> out;
  AddPaths(*this, "", out);
  return out;
}

json::Value FieldSet::ToJson() const {
  json::Object out;
  out.Reserve(children.size() + 1);
  if (owned && !children.empty()) out.Add(".", json::Value::MakeObject());
  for (const auto& [name, child] : children) out.Add(name, child.ToJson());
  return out;
}

FieldSet FieldSet::FromJson(const json::Value& fields) { return Read(fields, 0); }

}  // namespace kinformer::apiserver
