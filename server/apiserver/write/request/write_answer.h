// apiserver/write/request/write_answer.h
//
// Responses to writes.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_WRITE_ANSWER_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_WRITE_ANSWER_H_

#include <string>
#include <vector>

#include "apiserver/registry/server_state.h"
#include "apiserver/request/resource_request.h"
#include "apiserver/request/responses.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

// Makes the response to a write.
ResponsePtr WriteAnswer(const ServerState& state, const ResourceRequest& request,
                        const WriteOutcome& outcome, const std::vector<std::string>& warnings = {});

// Makes the response to a delete that removed its object.
ResponsePtr DeletedAnswer(const ResourceRequest& request, const WriteOutcome& outcome);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_WRITE_ANSWER_H_
