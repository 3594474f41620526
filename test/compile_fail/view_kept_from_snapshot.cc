// GetByKey of a temporary Snapshot does not compile: the view would dangle.
// expect-gcc: use of deleted function .*Snapshot<.*GetByKey\(
// expect-clang: deleted (member )?function 'GetByKey'

#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/snapshot.h"

kinformer::Snapshot<kinformer::corev1::Pod> Take();

std::string Use() {
#ifdef CORRECT
  const auto snapshot = Take();
  const auto pod = snapshot.GetByKey("default/web-0");
#else
  const auto pod = Take().GetByKey("default/web-0");
#endif
  return pod ? std::string(pod->metadata().name()) : std::string();
}
