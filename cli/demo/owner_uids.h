// demo/owner_uids.h
//
// OwnerUids: the model names owners by kind and name; the server decides their uids. This fills
// them in.

#ifndef KINFORMER_CLI_DEMO_OWNER_UIDS_H_
#define KINFORMER_CLI_DEMO_OWNER_UIDS_H_

#include <map>
#include <string>

#include "kinformer/json/json.h"
#include "kinformer/object/object_name.h"

namespace kinformer::demo {

// Thread-compatible.
class OwnerUids {
 public:
  // Sets the uid of each owner reference whose owner has been noted.
  void Fill(json::Value& object) const {
    const std::string ns = object["metadata"]["namespace"].StringOrEmpty();
    json::Value* owners = object.Ensure("metadata").Find("ownerReferences");
    if (owners == nullptr) return;
    for (json::Value& owner : owners->EnsureArray()) {
      const auto it =
          uids_.find(Key(owner["kind"].StringOrEmpty(), ns, owner["name"].StringOrEmpty()));
      if (it != uids_.end()) owner.Ensure("uid") = it->second;
    }
  }
  // Remembers an object as the server stored it, if it can be an owner here.
  void Note(const json::Value& stored) {
    const std::string& kind = stored["kind"].StringOrEmpty();
    if (kind != "Deployment" && kind != "ReplicaSet") return;
    const json::Value& metadata = stored["metadata"];
    uids_[Key(kind, metadata["namespace"].StringOrEmpty(), metadata["name"].StringOrEmpty())] =
        metadata["uid"].StringOrEmpty();
  }

 private:
  static std::string Key(const std::string& kind, const std::string& ns, const std::string& name) {
    return kind + '/' + ObjectName{ns, name}.ToString();
  }
  std::map<std::string, std::string> uids_;
};

}  // namespace kinformer::demo

#endif  // KINFORMER_CLI_DEMO_OWNER_UIDS_H_
