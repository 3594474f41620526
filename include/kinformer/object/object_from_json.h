// kinformer/object/object_from_json.h
//
// ObjectFromJson: an object of a kind that the program knows at run time, made of its JSON. For a
// program with its own source of objects (lister_watcher.h).
//
//   AnyRef made = ObjectFromJson(corev1::Pod::kind_info(),
//                                R"({"metadata": {"name": "web-0", "namespace": "default"}})")
//                     .OrExit();
//   Ref<corev1::Pod> pod = made.As<corev1::Pod>();

#ifndef KINFORMER_OBJECT_OBJECT_FROM_JSON_H_
#define KINFORMER_OBJECT_OBJECT_FROM_JSON_H_

#include <string_view>

#include "kinformer/base/result.h"
#include "kinformer/object/entry_options.h"
#include "kinformer/object/kind_info.h"
#include "kinformer/object/ref.h"

namespace kinformer {

// Returns the object whose JSON this is, as the API sends it. The JSON may lack kind and
// apiVersion, which are those of `kind`. Fields that the kind does not have are dropped, and so are
// those that the options cut. The text is copied. kDecode: it is malformed, or does not fit the
// kind; the error names the place. kOverLimit: it is larger than the options allow. Thread-safe;
// never blocks. Counterpart: runtime.Decode.
Result<AnyRef> ObjectFromJson(const KindInfo& kind, std::string_view json,
                              const EntryOptions& options = {});

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_OBJECT_FROM_JSON_H_
