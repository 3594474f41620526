// apiserver/write/request/request_body.h
//
// Decoding of request bodies: JSON, YAML or protobuf to json::Value.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_REQUEST_BODY_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_REQUEST_BODY_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/registry/resource_table.h"
#include "apiserver/request/request_info.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

// Estimates the cost of decoding a body, in bytes of JSON.
std::size_t DecodingCost(std::string_view content_type, std::string_view body);

// Decodes by Content-Type, by default JSON. Errors: UnsupportedMediaType, BadRequest. `duplicates`,
// if given, receives warnings about repeated members: `duplicate field "data.a"`, and for YAML
// `line 8: key "a" already set in map`.
Result<json::Value> DecodeBody(std::string_view content_type, std::string_view body,
                               std::vector<std::string>* duplicates = nullptr);

// Decodes an object of the resource. Sets apiVersion and kind if absent; others are errors.
Result<json::Value> DecodeObject(const ResourceAt& at, std::string_view content_type,
                                 std::string_view body,
                                 std::vector<std::string>* duplicates = nullptr);

// DeleteOptions from the body, or from the query where there is no body.
struct DecodedDelete {
  DeleteRequest request{};
  bool dry_run = false;
  // `orphanDependents: false` was sent; responds with 202 if finalizers keep the object.
  bool cascades = false;
};
Result<DecodedDelete> DecodeDelete(const Query& query, std::string_view content_type,
                                   std::string_view body);
// Parses options from an object that holds them; null: no options.
Result<DecodedDelete> DeleteOptionsOf(const json::Value& options);

// Query parameters of a create, update or patch.
struct WriteQuery {
  bool dry_run = false;
  std::string field_validation{};  // Ignore, Warn or Strict
};
// `kind` names the options in errors: CreateOptions, UpdateOptions, PatchOptions. `causes`: other
// problems found by the caller.
Result<WriteQuery> DecodeWriteQuery(const Query& query, std::string_view kind,
                                    std::vector<StatusCause> causes = {});

// Returns what is wrong with a Go duration such as "32s" or "1m30s", in Go's words; empty: nothing.
std::string GoDurationProblem(std::string_view whole);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_REQUEST_BODY_H_
