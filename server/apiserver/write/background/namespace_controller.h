// apiserver/write/background/namespace_controller.h
//
// NamespaceController: the namespace controller of kube-controller-manager: empties deleted
// namespaces, reports remaining objects, and removes the namespaces.

#ifndef KINFORMER_APISERVER_WRITE_BACKGROUND_NAMESPACE_CONTROLLER_H_
#define KINFORMER_APISERVER_WRITE_BACKGROUND_NAMESPACE_CONTROLLER_H_

#include <deque>
#include <map>
#include <memory>
#include <string>

#include "kinformer/json/json.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/write/object/object_sweep.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

// Works in turns of the loop, through ObjectWriter. Loop-confined.
class NamespaceController {
 public:
  NamespaceController(ServerState& state, ObjectWriter& writer) : state_(state), writer_(writer) {}

  // Starts or continues the work: the namespace was deleted, or an object in it was removed.
  void Sync(const std::string& name);
  // Forgets all progress, and starts again where namespaces are being deleted: what is stored was
  // replaced.
  void AfterReplace();

 private:
  // Progress of the work on one namespace: first all objects are deleted, and then the remaining
  // ones are counted.
  struct Progress {
    struct Part {
      std::shared_ptr<ServedResource> resource{};
      ObjectSweep sweep{};
    };
    std::deque<Part> parts{};  // those left to do
    bool counting = false;
    std::map<std::string, int> finalizers{};
    bool again = false;  // there was another Sync in between
  };

  void Begin(const std::string& name, Progress& progress) const;
  void Post(const std::string& name);
  void Turn(const std::string& name);
  // Deletes or counts objects. Returns true once complete.
  bool Work(const std::string& name, Progress& progress);
  [[nodiscard]] bool IsEmpty(const std::string& name) const;
  void Finalize(const std::string& name);
  // Writes the remaining objects to the namespace's conditions.
  void Report(const std::string& name, const std::map<std::string, int>& finalizers);
  void Modify(const std::string& name, const ObjectWriter::OutlineChange& change);

  ServerState& state_;
  ObjectWriter& writer_;
  std::map<std::string, Progress> progress_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BACKGROUND_NAMESPACE_CONTROLLER_H_
