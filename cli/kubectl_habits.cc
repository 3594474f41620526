#include "cli/kubectl_habits.h"

namespace kinformer::cli {
namespace {

struct Habit {
  const char* names;  // "-f,--filename"
  const char* words;
};

constexpr char kByContext[] =
    "it comes from the kubeconfig: choose a context with --context, or set it there";
constexpr char kByJq[] = "take -o json, and choose with jq";
constexpr char kImpersonate[] =
    "this program does not act for others by an option; set as: in the kubeconfig's user";

constexpr Habit kReading[] = {
    {"--watch-only", "`kinformer watch` prints what is there first, marked +, then the changes"},
    {"--output-watch-events", "`kinformer watch` marks each line: + added, ~ modified, - deleted"},
    {"-f,--filename",
     "objects are named as RESOURCE NAME; to serve those of a file, run `kinformer apiserver "
     "--load FILE`"},
    {"-k,--kustomize", "objects are named as RESOURCE NAME"},
    {"-R,--recursive", "objects are named as RESOURCE NAME"},
    {"-L,--label-columns", "-o json or -o yaml print labels; -l SELECTOR chooses by them"},
    {"--show-labels", "-o json or -o yaml print labels; -l SELECTOR chooses by them"},
    {"--labels,--label,--label-selector", "write -l SELECTOR, such as -l app=web"},
    {"--fields,--field", "write --field-selector SELECTOR, such as spec.nodeName=node-7"},
    {"--show-kind", "names have their kind in front with -o name, and of several resources"},
    {"--sort-by", "objects come in the order of namespace and name; sort the lines with sort"},
    {"--no-headers", "-o name prints names alone; tail -n +2 drops the titles of a table"},
    {"--template", kByJq},
    {"--raw", "`kubectl get --raw` or curl ask for a path"},
    {"--subresource", "an informer reads whole objects; -o yaml prints the status, too"},
    {"--ignore-not-found", "a name that is missing is status 1 and a line on standard error"},
    {"--chunk-size", "lists come in pages by themselves"},
    {"--server-print", "tables are made here, from the cache"},
    {"--as,--as-group,--as-uid", kImpersonate},
    {"--cluster,--user,--username,--password", kByContext},
    {"--client-certificate,--client-key,--tls-server-name", kByContext},
    {"--request-timeout",
     "it ends when it has the objects; `timeout 5s kinformer ...` ends it before"},
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
    {"--etcd-servers,--storage-backend", "objects are kept in memory; --load FILE brings some"},
    {"-n,--namespace", "metadata.namespace of each object that --load brings says where it goes"},
};

constexpr char kReadsOnly[] =
    "kubectl does that, with the same kubeconfig; this program gets and watches objects";

constexpr Habit kCommands[] = {
    {"describe", "write `kinformer get RESOURCE NAME -o yaml`"},
    {"list", "write `kinformer get RESOURCE`"},
    {"explain", "`kubectl explain` works with any server, this program's included"},
    {"api-resources", "`kubectl api-resources` works with any server, this program's included"},
    {"events", "write `kinformer get events`, or `kinformer watch events`"},
    {"serve", "write `kinformer apiserver`"},
    {"server", "write `kinformer apiserver`"},
    {"apply", kReadsOnly},
    {"create", kReadsOnly},
    {"delete", kReadsOnly},
    {"edit", kReadsOnly},
    {"patch", kReadsOnly},
    {"replace", kReadsOnly},
    {"label", kReadsOnly},
    {"annotate", kReadsOnly},
    {"run", kReadsOnly},
    {"expose", kReadsOnly},
    {"logs", kReadsOnly},
    {"exec", kReadsOnly},
    {"port-forward", kReadsOnly},
    {"proxy", kReadsOnly},
    {"auth", kReadsOnly},
    {"top", kReadsOnly},
};

}  // namespace

void AddCommandHabits(CommandLine& line) {
  for (const Habit& habit : kCommands) line.Elsewhere(habit.names, habit.words);
}

void AddReadingHabits(Command& command) {
  for (const Habit& habit : kReading) command.Elsewhere(habit.names, habit.words);
}

void AddServerHabits(Command& command) {
  for (const Habit& habit : kServer) command.Elsewhere(habit.names, habit.words);
}

std::string OutputHabit(std::string_view output) {
  if (output == "yml") return "write yaml";
  for (const char* form : {"jsonpath", "go-template", "custom-columns", "template"}) {
    if (output.starts_with(form)) return kByJq;
  }
  return {};
}

std::string ResourceHabit(std::string_view resource) {
  if (resource == "all") {
    return "\"all\" is kubectl's word for several resources: write those that are meant, such as "
           "pods,services,deployments,replicasets";
  }
  return {};
}

}  // namespace kinformer::cli
