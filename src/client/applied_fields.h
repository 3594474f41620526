// client/applied_fields.h
//
// Fields of a struct that a server-side apply sends: those that are set.

#ifndef KINFORMER_CLIENT_APPLIED_FIELDS_H_
#define KINFORMER_CLIENT_APPLIED_FIELDS_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/object/kind_info.h"

namespace kinformer::internal::client {

// Returns `json` without fields that are empty only because Go always writes them: "status": {},
// "creationTimestamp": null, "targetPort": 0; applying them would own them. A std::optional that is
// set stays, even if it is empty. For kinds without a schema only the metadata is reduced. `json`
// is the whole object as the API writes it. kDecode if it is not JSON.
[[nodiscard]] Result<std::string> AppliedFields(const KindInfo& type, std::string_view json);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_APPLIED_FIELDS_H_
