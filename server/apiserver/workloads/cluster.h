// apiserver/workloads/cluster.h
//
// Cluster: the objects that the controllers of simulated workloads look at, parsed and indexed.

#ifndef KINFORMER_APISERVER_WORKLOADS_CLUSTER_H_
#define KINFORMER_APISERVER_WORKLOADS_CLUSTER_H_

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/workloads/kinds.h"

namespace kinformer::apiserver::workloads {

using Objects = std::vector<const json::Value*>;  // sorted by key

// Loop-confined. References to objects are valid until that object is put or removed.
class Cluster {
 public:
  // Returns the object that it replaces; empty for a new one.
  std::optional<json::Value> Put(Kind kind, json::Value object);
  // Returns the object; empty if there was none.
  std::optional<json::Value> Remove(Kind kind, const std::string& key);
  void Clear();

  // Return null if there is no such object. `key`: "namespace/name", or "name".
  [[nodiscard]] const json::Value* Find(Kind kind, const std::string& key) const;
  [[nodiscard]] const json::Value* Find(Kind kind, std::string_view namespace_,
                                        std::string_view name) const;
  // By key.
  [[nodiscard]] const std::map<std::string, json::Value>& All(Kind kind) const;
  [[nodiscard]] Objects In(Kind kind, std::string_view namespace_) const;
  // Returns those whose controller has that uid.
  [[nodiscard]] Objects OwnedBy(Kind kind, const std::string& uid) const;
  // Returns those of a namespace without a controller.
  [[nodiscard]] Objects Orphans(Kind kind, std::string_view namespace_) const;
  [[nodiscard]] Objects PodsOn(const std::string& node) const;

 private:
  using Index = std::map<std::string, std::set<std::string>>;  // keys of objects
  struct Table {
    std::map<std::string, json::Value> objects{};
    Index by_owner{};  // orphans under "/namespace"
  };
  [[nodiscard]] const Table& TableOf(Kind kind) const {
    return tables_[static_cast<std::size_t>(kind)];
  }
  [[nodiscard]] Objects Listed(Kind kind, const Index& index, const std::string& at) const;
  static void Drop(Index& index, const std::string& at, const std::string& key);

  std::array<Table, kKinds> tables_;
  Index pods_by_node_;
};

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_CLUSTER_H_
