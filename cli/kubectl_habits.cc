#include "cli/kubectl_habits.h"

namespace kinformer::cli {
namespace {

struct Habit {
  const char* names;  // "-f,--filename"
  const char* words;
};

constexpr char kByContext[] =
    "it comes from the kubeconfig: choose a context with --context, or set it there";
constexpr char kImpersonate[] =
    "this program does not act for others by an option; set as: in the kubeconfig's user";

constexpr char kByJq[] = "take -o json, and choose with jq";

constexpr Habit kReading[] = {
    {"-k,--kustomize", "write -f FILE, with what `kubectl kustomize` prints"},
    {"-R,--recursive", "-f FOLDER reads the files of one folder; give -f for each"},
    {"--labels,--label,--label-selector", "write -l SELECTOR, such as -l app=web"},
    {"--fields,--field", "write --field-selector SELECTOR, such as spec.nodeName=node-7"},
    {"--raw", "write `kinformer raw PATH`"},
    {"--subresource", "an informer reads whole objects; -o yaml prints the status, too"},
    {"--chunk-size", "lists come in pages by themselves"},
    {"--server-print", "tables are made here, from the cache"},
    {"--as,--as-group,--as-uid", kImpersonate},
    {"--cluster,--user,--username,--password", kByContext},
    {"--client-certificate,--client-key,--tls-server-name", kByContext},
    {"--request-timeout",
     "it ends when it has the objects; `timeout 5s kinformer ...` ends it before"},
};

constexpr char kKustomize[] =
    "render it first: `kubectl kustomize DIR`, and give -f - what it prints";

constexpr Habit kManifests[] = {
    {"-k,--kustomize", kKustomize},
    {"--labels,--label,--label-selector", "write -l SELECTOR, such as -l app=web"},
    {"--openapi-patch,--overwrite", "the server merges; there is nothing to choose"},
    {"--force-conflict", "write --force-conflicts"},
    {"--prune-whitelist", "write --prune-allowlist GROUP/VERSION/KIND"},
    {"--concurrency", "objects are asked for one after the other"},
    {"-i,--interactive", "--dry-run=server shows what would be deleted"},
    {"--raw", "`kubectl delete --raw` or curl send requests to a path"},
    {"--template", kByJq},
    {"--subresource", "the command is for whole objects"},
    {"--as,--as-group,--as-uid", kImpersonate},
    {"--cluster,--user,--username,--password", kByContext},
    {"--client-certificate,--client-key,--tls-server-name", kByContext},
};

constexpr Habit kServer[] = {
    {"-f,--filename", "write --load FILE"},
    {"-p,--port,--secure-port", "write --listen 127.0.0.1:PORT"},
    {"--address,--bind-address", "write --listen ADDRESS:PORT"},
    {"--kubeconfig", "write --kubeconfig-out FILE, to be given one for this server"},
    {"--context,-s,--server", "this is a server, which needs none; --listen says where"},
    {"--certificate-authority", "write --client-ca-file FILE, for the authority of clients"},
    {"--cert", "write --tls-cert-file FILE"},
    {"--key", "write --tls-private-key-file FILE"},
    {"--storage-backend", "objects are in memory, in --data FOLDER or in an etcd, --etcd-servers"},
    {"-n,--namespace", "metadata.namespace of each object that --load brings says where it goes"},
};

constexpr char kReadsOnly[] =
    "kubectl does that, with the same kubeconfig; this program gets, watches, applies and deletes "
    "objects";

constexpr Habit kCommands[] = {
    {"list", "write `kinformer get RESOURCE`"},
    {"serve", "write `kinformer apiserver`"},
    {"server", "write `kinformer apiserver`"},
    {"create", kReadsOnly},
    {"edit", kReadsOnly},
    {"patch", kReadsOnly},
    {"replace", kReadsOnly},
    {"label", kReadsOnly},
    {"annotate", kReadsOnly},
    {"run", kReadsOnly},
    {"expose", kReadsOnly},
    {"proxy", kReadsOnly},
    {"auth", kReadsOnly},
};

}  // namespace

void AddCommandHabits(CommandLine& line) {
  for (const Habit& habit : kCommands) line.Elsewhere(habit.names, habit.words);
}

void AddReadingHabits(Command& command) {
  for (const Habit& habit : kReading) command.Elsewhere(habit.names, habit.words);
}

void AddManifestHabits(Command& command) {
  for (const Habit& habit : kManifests) command.Elsewhere(habit.names, habit.words);
}

void AddServerHabits(Command& command) {
  for (const Habit& habit : kServer) command.Elsewhere(habit.names, habit.words);
}

std::string OutputHabit(std::string_view output) {
  if (output == "yml") return "write yaml";
  if (output.starts_with("jq=")) return "write -o json, and choose with jq";
  return {};
}

}  // namespace kinformer::cli
