// A credential plugin that is written with exec_credential.h, for tests. Its token tells what it
// was asked.

#include <iostream>

#include "kinformer/client/exec_credential.h"

int main() {
  using kinformer::exec::ExecCredential;
  const kinformer::Result<ExecCredential> asked = kinformer::exec::LoadExecCredentialFromEnv();
  if (!asked) {
    std::cerr << asked.error().ToString() << '\n';
    return 1;
  }
  ExecCredential answer = *asked;
  kinformer::exec::ExecCredentialStatus status;
  status.token = asked->spec.cluster ? "for." + asked->spec.cluster->tls_server_name : "for.none";
  status.expiration_timestamp = kinformer::WallTime(std::chrono::seconds(4'102'444'800));
  answer.status = status;
  std::cout << answer.ToJson() << '\n';
  return 0;
}
