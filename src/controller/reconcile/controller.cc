#include "kinformer/controller/controller.h"

namespace kinformer {

template class TypedController<Request>;

}  // namespace kinformer
