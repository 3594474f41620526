// client/url_template.h
//
// Targets of requests without names and values, as client-go's metrics have them. Pure functions.

#ifndef KINFORMER_CLIENT_URL_TEMPLATE_H_
#define KINFORMER_CLIENT_URL_TEMPLATE_H_

#include <string>
#include <string_view>

namespace kinformer::internal::client {

// Returns "/apis/apps/v1/namespaces/{namespace}/deployments/{name}?limit={value}". "/{prefix}" for
// paths that do not begin with "api" or "apis", except those of one segment, which are unchanged.
//
// Like client-go, it does not know which resources have namespaces: a subresource of a
// cluster-scoped object other than `status` and `finalize` counts as a resource in a namespace, and
// so "/api/v1/nodes/n/proxy" becomes "/api/v1/nodes/{namespace}/proxy".
std::string UrlTemplate(std::string_view target);

// Returns the resource that a target names: "pods", "deployments.apps". Empty if it names none.
std::string ResourceOfTarget(std::string_view target);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_URL_TEMPLATE_H_
