// apiserver/write/field_order.h
//
// In which order a body's problems are named.

#ifndef KINFORMER_APISERVER_WRITE_FIELD_ORDER_H_
#define KINFORMER_APISERVER_WRITE_FIELD_ORDER_H_

#include <string>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {

// Sorts `unknown field "spec.x"` and `duplicate field "data.a"` by where these stand in `body`,
// which is JSON; what is not found there comes last. One pass over the text.
void SortByText(std::string_view body, std::vector<std::string>& problems);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WRITE_FIELD_ORDER_H_
