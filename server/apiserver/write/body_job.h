// apiserver/write/body_job.h
//
// BodyWriter::Job: one request in a BodyWriter.

#ifndef KINFORMER_APISERVER_WRITE_BODY_JOB_H_
#define KINFORMER_APISERVER_WRITE_BODY_JOB_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/request/patch.h"
#include "apiserver/write/body_writer.h"
#include "apiserver/write/request_body.h"

namespace kinformer::apiserver {

// Used by one step at a time, on any thread.
struct BodyWriter::Job {
  std::shared_ptr<const ResourceRequest> request{};
  ResourceAt live{};      // current resource; the request's own is a constant copy
  std::size_t bytes = 0;  // estimates the cost of work on the request
  WriteQuery query{};
  Draft draft{};
  std::vector<std::string> warnings{};
  int attempts = 0;
  // Whether webhooks must review the object, and which phases have.
  bool asks = true;
  bool mutated = false;
  bool admitted = false;

  // Set for a patch.
  PatchFunction apply = nullptr;
  bool server_side = false;
  json::Value patch{};
  StoredObjectPtr base{};  // object that the patch or change applies to

  // Set for a change, which is either `change` or `part`.
  bool changes = false;
  ObjectWriter::Change change{};
  std::shared_ptr<const ChangedPart> part{};
  json::Value part_made{};  // the part as changed by the request
  json::Value part_old{};
  // Returns `base` in the request's version.
  [[nodiscard]] const StoredObject& Base() const {
    return draft.shown == nullptr ? *base : *draft.shown;
  }

  bool deletes = false;
  bool cascades = false;
  Deletion deletion{};

  // Makes the response, on any thread; null: the response shows the object.
  std::function<ResponsePtr(const WriteOutcome&)> show{};
  // Makes the response on the loop, maybe later; null: not used.
  std::function<ResponsePtr(const WriteOutcome&)> then{};
  ResponsePtr failure{};
  Result<WriteOutcome> outcome = WriteOutcome();
  ResponsePtr answer{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BODY_JOB_H_
