// A temporary Ref must not be dereferenced: the view would dangle.
// expect-gcc: use of deleted function .*operator->\(\)
// expect-clang: deleted operator '->'

#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/object/ref.h"

kinformer::Ref<kinformer::corev1::Pod> Find();

std::string Use() {
#ifdef CORRECT
  const auto pod = Find();
  return std::string(pod->metadata().name());
#else
  return std::string(Find()->metadata().name());
#endif
}
