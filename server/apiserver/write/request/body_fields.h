// apiserver/write/request/body_fields.h
//
// Checks of the fields of objects that were sent, and of the results of patches.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_BODY_FIELDS_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_BODY_FIELDS_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"

#include "apiserver/request/resource_request.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

// Checks the object's types, prunes unknown fields, and returns the problems that fieldValidation
// (`mode`) covers: as warnings, or as an error if it is Strict. Errors describe the problem, but do
// not name the object. Thread-safe.
Result<std::vector<std::string>> ValidateFields(ObjectWriter& writer,
                                                const ResourceRequest& request,
                                                std::string_view mode, json::Value& object,
                                                const std::vector<std::string>& duplicates);
// The same for the result of a patch; `uid` is the object's. Errors are about the patch.
Result<std::vector<std::string>> CheckPatched(ObjectWriter& writer, const ResourceRequest& request,
                                              std::string_view mode, const std::string& uid,
                                              json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_BODY_FIELDS_H_
