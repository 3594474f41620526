// apiserver/write/body_job.h
//
// BodyWriter::Job: one request on its way through a BodyWriter.

#ifndef KINFORMER_APISERVER_WRITE_BODY_JOB_H_
#define KINFORMER_APISERVER_WRITE_BODY_JOB_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/request/patch.h"
#include "apiserver/write/body_writer.h"
#include "apiserver/write/request_body.h"

namespace kinformer::apiserver {

// Used by one step at a time, on whatever thread that is.
struct BodyWriter::Job {
  std::shared_ptr<const ResourceRequest> request{};
  ResourceAt live{};      // the same place; the request's own does not change
  std::size_t bytes = 0;  // what work on it costs by
  WriteQuery query{};
  Draft draft{};
  std::vector<std::string> warnings{};
  int attempts = 0;
  // Webhooks are asked about the object; they have been asked.
  bool asks = true;
  bool mutated = false;
  bool admitted = false;

  // Of a patch.
  PatchFunction apply = nullptr;
  bool server_side = false;
  json::Value patch{};
  StoredObjectPtr base{};  // what it is applied to

  // Of a change: by one of the two.
  bool changes = false;
  ObjectWriter::Change change{};
  std::shared_ptr<const ChangedPart> part{};
  json::Value part_made{};  // what the request makes of it
  json::Value part_old{};
  // `base` in the request's version.
  [[nodiscard]] const StoredObject& Base() const {
    return draft.shown == nullptr ? *base : *draft.shown;
  }

  bool deletes = false;
  bool cascades = false;
  Deletion deletion{};

  // Makes the answer; null: that shows the object.
  std::function<ResponsePtr(const WriteOutcome&)> show{};
  // Makes it on the loop, whatever it takes; null: nobody does.
  std::function<ResponsePtr(const WriteOutcome&)> then{};
  ResponsePtr failure{};
  Result<WriteOutcome> outcome = WriteOutcome();
  ResponsePtr answer{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_BODY_JOB_H_
