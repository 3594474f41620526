// integration/lease_candidates.h
//
// The definition of LeaseCandidates, for servers of tests.

#ifndef KINFORMER_TEST_INTEGRATION_LEASE_CANDIDATES_H_
#define KINFORMER_TEST_INTEGRATION_LEASE_CANDIDATES_H_

#include <string_view>

namespace kinformer::testing {

// Servers have this resource only if it is enabled; here it is a custom resource.
inline constexpr std::string_view kLeaseCandidates = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: leasecandidates.coordination.k8s.io
  annotations: {api-approved.kubernetes.io: unapproved}
spec:
  group: coordination.k8s.io
  scope: Namespaced
  names: {plural: leasecandidates, kind: LeaseCandidate}
  versions:
  - name: v1beta1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
)";

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_LEASE_CANDIDATES_H_
