// apiserver/ownership/list_problems.h
//
// Faults of the lists of an object that a server-side apply declares.

#ifndef KINFORMER_APISERVER_OWNERSHIP_LIST_PROBLEMS_H_
#define KINFORMER_APISERVER_OWNERSHIP_LIST_PROBLEMS_H_

#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/ownership/value_shape.h"

namespace kinformer::apiserver {

// Returns all elements that cannot be told apart, in lists whose elements have owners of their own,
// in the words of kube-apiserver. Ends early where names of elements and problems take more than
// kMaxDefaultBytes, since a default may be part of each name. Counterpart: the walk of
// structured-merge-diff that validates.
[[nodiscard]] std::vector<std::string> ListProblems(const ValueShape& shape,
                                                    const json::Value& declared);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_OWNERSHIP_LIST_PROBLEMS_H_
