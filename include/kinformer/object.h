// kinformer/object.h
//
// All public headers of the group object.

#ifndef KINFORMER_OBJECT_H_
#define KINFORMER_OBJECT_H_

#include "kinformer/object/box.h"
#include "kinformer/object/crd.h"
#include "kinformer/object/custom_kind.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/object/entry_options.h"
#include "kinformer/object/field_schema.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/fields.h"
#include "kinformer/object/group_version_kind.h"
#include "kinformer/object/group_version_resource.h"
#include "kinformer/object/int_or_string.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/label_selector_as_selector.h"
#include "kinformer/object/mutable_text.h"
#include "kinformer/object/mutable_values.h"
#include "kinformer/object/object.h"
#include "kinformer/object/object_from_json.h"
#include "kinformer/object/object_meta.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/partial_object_metadata.h"
#include "kinformer/object/projection.h"
#include "kinformer/object/quantity.h"
#include "kinformer/object/raw_extension.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/resource.h"
#include "kinformer/object/shard_selector.h"
#include "kinformer/object/struct_list.h"
#include "kinformer/object/time.h"
#include "kinformer/object/unstructured.h"
#include "kinformer/object/validation.h"

#endif  // KINFORMER_OBJECT_H_
