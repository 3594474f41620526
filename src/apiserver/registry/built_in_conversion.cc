#include "apiserver/registry/built_in_conversion.h"

#include <array>

namespace kinformer::apiserver {

const Conversion* FindConversion(std::string_view group, std::string_view version,
                                 std::string_view plural) {
  static constexpr std::array<const Conversion*, 2> kAll = {&kEventConversion,
                                                            &kAutoscalerConversion};
  for (const Conversion* conversion : kAll) {
    if (conversion->plural == plural && conversion->group == group &&
        conversion->version == version) {
      return conversion;
    }
  }
  return nullptr;
}

}  // namespace kinformer::apiserver
