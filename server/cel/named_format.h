// cel/named_format.h
//
// NamedFormat: a form of texts that rules can ask for, format.uuid(). Counterpart: the library
// "format" of k8s.io/apiserver.

#ifndef KINFORMER_CEL_NAMED_FORMAT_H_
#define KINFORMER_CEL_NAMED_FORMAT_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal::cel {

struct NamedFormat {
  std::string_view name;
  // Returns what is wrong with a text.
  std::vector<std::string> (*check)(std::string_view text);
  std::size_t pattern_bytes;  // what a check costs, as if it were a search for a pattern
};

std::span<const NamedFormat> NamedFormats();
// Returns null if there is no format of this name.
const NamedFormat* FindNamedFormat(std::string_view name);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_NAMED_FORMAT_H_
