// Uses the headers that kinformer::pch precompiles, and has no #include of its own.

int main() {
  kinformer::appsv1::Deployment::Mutable deployment;
  deployment.metadata.name = "web";
  deployment.spec.template_.spec.securityContext.emplace().runAsUser = 1000;
  const kinformer::ManagerOptions options{.leader_election_id = kinformer::ToJson(deployment)};
  return options.leader_election_id.find(R"("runAsUser":1000)") == std::string::npos ? 1 : 0;
}
