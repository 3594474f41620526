// A temporary Ref must not be dereferenced: the view would dangle.
// expect-gcc: use of deleted function .*operator\*\(\)
// expect-clang: deleted operator '\*'

#include "kinformer/api/corev1.h"
#include "kinformer/object/ref.h"

kinformer::Ref<kinformer::corev1::Pod> Find();
void Show(kinformer::corev1::Pod pod);

void Use() {
#ifdef CORRECT
  const auto pod = Find();
  Show(*pod);
#else
  Show(*Find());
#endif
}
