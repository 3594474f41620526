#include "apiserver/registry/built_in_conversion.h"

namespace kinformer::apiserver {

const Conversion* FindConversion(std::string_view group, std::string_view version,
                                 std::string_view plural) {
  for (const Conversion* conversion : {&kEventConversion, &kAutoscalerConversion}) {
    if (conversion->plural == plural && conversion->group == group &&
        conversion->version == version) {
      return conversion;
    }
  }
  return nullptr;
}

}  // namespace kinformer::apiserver
