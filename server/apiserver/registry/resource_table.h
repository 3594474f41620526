// apiserver/registry/resource_table.h
//
// ResourceTable: all resources that the server has: the built-in ones, and those that
// CustomResourceDefinitions define.

#ifndef KINFORMER_APISERVER_REGISTRY_RESOURCE_TABLE_H_
#define KINFORMER_APISERVER_REGISTRY_RESOURCE_TABLE_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/defined_resource.h"
#include "apiserver/registry/served_resource.h"
#include "apiserver/store/resource_store.h"

namespace kinformer::apiserver {

// A resource in one of its versions.
struct ResourceAt {
  std::shared_ptr<ServedResource> resource{};
  std::shared_ptr<const ServedVersion> version{};
  explicit operator bool() const { return resource != nullptr; }
  // Returns null if this version has no such subresource.
  [[nodiscard]] const Subresource* FindSubresource(std::string_view name) const {
    return resource->FindSubresource(name, version->version);
  }
  [[nodiscard]] bool HasStatus() const { return FindSubresource("status") != nullptr; }
};

// A version of a group in discovery.
struct GroupVersionEntry {
  std::string group{};
  std::string version{};
};

// Loop-confined.
class ResourceTable {
 public:
  explicit ResourceTable(HistoryLimits limits);

  // Returns an empty ResourceAt if there is none.
  [[nodiscard]] ResourceAt Find(std::string_view group, std::string_view version,
                                std::string_view plural) const;
  // Finds the resource in any version.
  [[nodiscard]] std::shared_ptr<ServedResource> FindGroupResource(std::string_view group,
                                                                  std::string_view plural) const;
  // Sorted by group and plural.
  [[nodiscard]] const std::vector<std::shared_ptr<ServedResource>>& all() const { return all_; }
  // The core group first, then in the order of discovery; preferred versions first.
  [[nodiscard]] std::vector<GroupVersionEntry> GroupVersions() const;

  // Serves the resource of a new or changed definition, under its accepted names
  // (status.acceptedNames). Returns null if nothing has changed.
  std::shared_ptr<ServedResource> Install(const std::shared_ptr<const DefinedResource>& defined,
                                          const json::Value& names);
  void Uninstall(const std::shared_ptr<ServedResource>& resource);

  // Updates the stores of resources whose objects are stored in the form of another resource.
  void ShareStores();

  [[nodiscard]] const HistoryLimits& limits() const { return limits_; }

  // Increases with every change of discovery.
  [[nodiscard]] std::uint64_t revision() const { return revision_; }

 private:
  void AddBuiltins();
  void Add(std::shared_ptr<ServedResource> resource);

  HistoryLimits limits_;
  std::vector<std::shared_ptr<ServedResource>> all_;
  struct NameLess {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const {
      const int order = std::string_view(a.first).compare(b.first);
      return order != 0 ? order < 0 : std::string_view(a.second) < std::string_view(b.second);
    }
  };
  // By group and plural; built-in resources with several versions have one entry for each.
  std::multimap<std::pair<std::string, std::string>, std::shared_ptr<ServedResource>, NameLess>
      by_name_;
  std::vector<GroupVersionEntry> builtin_versions_;
  std::uint64_t revision_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_RESOURCE_TABLE_H_
