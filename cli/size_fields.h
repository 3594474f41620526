// cli/size_fields.h
//
// The field that takes most of a sample's bytes.

#ifndef KINFORMER_CLI_SIZE_FIELDS_H_
#define KINFORMER_CLI_SIZE_FIELDS_H_

#include <string>

#include "kinformer/object/kind_info.h"

#include "cli/size_sample.h"

namespace kinformer::cli {

// Returns the path of the field outside the metadata, at most two names deep, whose text takes most
// of the objects' JSON, as Projection::Drop takes it: "status.images". Empty if none takes a fifth.
std::string LargestField(const KindInfo& type, const SizeSample& sample);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_SIZE_FIELDS_H_
