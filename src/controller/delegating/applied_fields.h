// controller/delegating/applied_fields.h
//
// What a server-side apply sends of a struct: the fields that are set.

#ifndef KINFORMER_CONTROLLER_DELEGATING_APPLIED_FIELDS_H_
#define KINFORMER_CONTROLLER_DELEGATING_APPLIED_FIELDS_H_

#include <string>
#include <string_view>

#include "kinformer/internal/type_info.h"
#include "kinformer/result.h"

namespace kinformer::internal::delegating {

// `json` is the whole object as the API writes it, in which some fields stand though they are
// empty, since Go cannot leave them out: "status": {}, "creationTimestamp": null, "targetPort": 0.
// To apply these would be to own them. What may be empty on purpose, a std::optional that is set,
// stays. Of kinds without a schema only the metadata is looked at. kDecode: it is no JSON.
[[nodiscard]] Result<std::string> AppliedFields(const TypeInfo& type, std::string_view json);

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_APPLIED_FIELDS_H_
