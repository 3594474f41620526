// apiserver/write/namespace_controller.h
//
// NamespaceController: what kube-controller-manager does for namespaces that are deleted: empties
// them, says what is left in them, and lets them go.

#ifndef KINFORMER_APISERVER_WRITE_NAMESPACE_CONTROLLER_H_
#define KINFORMER_APISERVER_WRITE_NAMESPACE_CONTROLLER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/json.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object_sweep.h"
#include "apiserver/write/object_writer.h"

namespace kinformer::apiserver {

// Works in turns of the loop, through ObjectWriter. Loop-confined.
class NamespaceController {
 public:
  NamespaceController(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  // The namespace is on its way out, or less than before is left in one that is.
  void Sync(const std::string& name);

 private:
  // How far the work on one namespace is: first everything is deleted, then what is still there is
  // counted.
  struct Progress {
    std::vector<std::shared_ptr<ServedResource>> resources{};
    std::size_t at = 0;  // of `resources`
    ObjectSweep sweep{};
    bool counting = false;
    std::map<std::string, int> finalizers{};
    bool again = false;  // something has happened meanwhile
  };

  void Begin(const std::string& name, Progress& progress) const;
  void Post(const std::string& name);
  void Turn(const std::string& name);
  // Deletes, or counts, what there is. True: that was all.
  bool Work(const std::string& name, Progress& progress);
  [[nodiscard]] bool IsEmpty(const std::string& name) const;
  void Finalize(const std::string& name);
  // Says in the namespace's conditions what is left in it.
  void Report(const std::string& name, const std::map<std::string, int>& finalizers);
  void Modify(const std::string& name, const ObjectWriter::OutlineChange& change);

  ServerState& state_;
  ObjectWriter& writer_;
  std::map<std::string, Progress> progress_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_NAMESPACE_CONTROLLER_H_
