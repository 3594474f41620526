// apiserver/write/request/field_order.h
//
// Order of the problems of a body.

#ifndef KINFORMER_APISERVER_WRITE_REQUEST_FIELD_ORDER_H_
#define KINFORMER_APISERVER_WRITE_REQUEST_FIELD_ORDER_H_

#include <string>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {

// Sorts `unknown field "spec.x"` and `duplicate field "data.a"` by their positions in `body`, which
// is JSON; fields not found there are last. One pass over the text.
void SortByText(std::string_view body, std::vector<std::string>& problems);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_REQUEST_FIELD_ORDER_H_
