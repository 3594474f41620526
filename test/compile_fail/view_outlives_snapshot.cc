// A view lives as long as its Snapshot: none is taken out of one that ends with the statement.
// expect-gcc: use of deleted function .*Snapshot<.*Get\(
// expect-clang: deleted (member )?function 'Get'

#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/snapshot.h"

kinformer::Snapshot<kinformer::corev1::Pod> Take();

std::string Use() {
#ifdef CORRECT
  const auto snapshot = Take();
  const auto pod = snapshot.Get("default", "web-0");
#else
  const auto pod = Take().Get("default", "web-0");
#endif
  return pod ? std::string(pod->metadata().name()) : std::string();
}
