// controller/fights/field_owner.h
//
// The field managers of single fields, by metadata.managedFields.

#ifndef KINFORMER_CONTROLLER_FIGHTS_FIELD_OWNER_H_
#define KINFORMER_CONTROLLER_FIGHTS_FIELD_OWNER_H_

#include <string>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::internal::fights {

// Returns the manager that owns the field to which `steps` lead; of several, the one that has
// written last. If none owns it, since it has been removed: the one that has written last of all.
// Others than `other_than` come first. Empty: there are no managed fields.
[[nodiscard]] std::string OwnerOf(const json::Value& object, const std::vector<std::string>& steps,
                                  const std::string& other_than);

}  // namespace kinformer::internal::fights

#endif  // KINFORMER_CONTROLLER_FIGHTS_FIELD_OWNER_H_
