// cli/kube_apiserver.h
//
// The program under the names of other programs, which envtest starts: kube-apiserver, etcd.

#ifndef KINFORMER_CLI_KUBE_APISERVER_H_
#define KINFORMER_CLI_KUBE_APISERVER_H_

#include <optional>
#include <string>
#include <vector>

namespace kinformer::cli {

// If the program was started as kube-apiserver, by a link of that name or as `kinformer
// kube-apiserver`, replaces its flags in `arguments` by those of `kinformer apiserver`, and makes a
// certificate where --cert-dir has none. Runs etcd. Returns the exit status if nothing is left to
// run.
std::optional<int> RunAsOther(std::vector<std::string>& arguments);

// Runs what stands for etcd, where nothing is stored: answers /health at the address of
// --listen-client-urls until a signal ends it (etcd_stub.cc). Returns the exit status.
int RunEtcdStub(const std::vector<std::string>& flags);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_KUBE_APISERVER_H_
