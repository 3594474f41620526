// Descriptions of volumes: those of pods, and PersistentVolumes' sources.

#include <algorithm>
#include <string>
#include <vector>

#include "cli/description.h"

namespace kinformer::cli {
namespace {

// A field of a source: its label, its name, and what is printed if it has no value.
struct Part {
  const char* label;
  const char* name;
  const char* none;  // nullptr: then it is left out
};

struct Source {
  const char* name;
  const char* type;
  std::vector<Part> parts;
};

const std::vector<Source>& KnownSources() {
  static const std::vector<Source> sources{
      {"hostPath",
       "HostPath (bare host directory volume)",
       {{"Path", "path", ""}, {"HostPathType", "type", "<none>"}}},
      {"emptyDir",
       "EmptyDir (a temporary directory that shares a pod's lifetime)",
       {{"Medium", "medium", ""}, {"SizeLimit", "sizeLimit", "<unset>"}}},
      {"secret",
       "Secret (a volume populated by a Secret)",
       {{"SecretName", "secretName", ""}, {"Optional", "optional", "false"}}},
      {"configMap",
       "ConfigMap (a volume populated by a ConfigMap)",
       {{"Name", "name", ""}, {"Optional", "optional", "false"}}},
      {"nfs",
       "NFS (an NFS mount that lasts the lifetime of a pod)",
       {{"Server", "server", ""}, {"Path", "path", ""}, {"ReadOnly", "readOnly", "false"}}},
      {"persistentVolumeClaim",
       "PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)",
       {{"ClaimName", "claimName", ""}, {"ReadOnly", "readOnly", "false"}}},
      {"csi",
       "CSI (a Container Storage Interface (CSI) volume source)",
       {{"Driver", "driver", ""},
        {"FSType", "fsType", ""},
        {"VolumeHandle", "volumeHandle", nullptr},
        {"ReadOnly", "readOnly", "false"}}},
      {"image",
       "Image (a container image or OCI artifact)",
       {{"Reference", "reference", ""}, {"PullPolicy", "pullPolicy", ""}}},
      {"local",
       "LocalVolume (a persistent volume backed by local storage on a node)",
       {{"Path", "path", ""}}},
  };
  return sources;
}

void DescribeAttributes(Description& out, int level, const json::Value& attributes) {
  std::string text;
  for (const std::string& name : SortedNames(attributes)) {
    text += (text.empty() ? "    " : "\n    ") + name + "=" + ScalarText(attributes[name]);
  }
  out.Field(level, "VolumeAttributes", OrNone(text));
}

void DescribeProjected(Description& out, int level, const json::Value& projected) {
  out.Field(level, "Type",
            "Projected (a volume that contains injected data from multiple sources)");
  for (const json::Value& source : projected["sources"].items()) {
    if (const json::Value& secret = source["secret"]; secret.is_object()) {
      out.Field(level, "SecretName", secret["name"].StringOrEmpty());
      out.Field(level, "Optional", ScalarText(secret["optional"], "false"));
    } else if (source["downwardAPI"].is_object()) {
      out.Field(level, "DownwardAPI", "true");
    } else if (const json::Value& map = source["configMap"]; map.is_object()) {
      out.Field(level, "ConfigMapName", map["name"].StringOrEmpty());
      out.Field(level, "Optional", ScalarText(map["optional"], "false"));
    } else if (const json::Value& token = source["serviceAccountToken"]; token.is_object()) {
      out.Field(level, "TokenExpirationSeconds", ScalarText(token["expirationSeconds"], "3600"));
    }
  }
}

void DescribeDownward(Description& out, int level, const json::Value& downward) {
  out.Field(level, "Type", "DownwardAPI (a volume populated by information about the pod)");
  out.Title(level, "Items");
  for (const json::Value& item : downward["items"].items()) {
    const json::Value& field = item["fieldRef"]["fieldPath"];
    out.Text(level + 1,
             ScalarText(field.is_string() ? field : item["resourceFieldRef"]["resource"]) + " -> " +
                 item["path"].StringOrEmpty());
  }
}

// A source of a kind that has no words here is described by the scalars among its fields.
void DescribeOther(Description& out, int level, const std::string& name,
                   const json::Value& source) {
  std::string type = name;
  if (!type.empty() && type.front() >= 'a') {
    type.front() = static_cast<char>(type.front() - 'a' + 'A');
  }
  out.Field(level, "Type", type);
  for (const std::string& field : SortedNames(source)) {
    if (source[field].is_object() || source[field].is_array() || field.empty()) continue;
    std::string label = field;
    label.front() = static_cast<char>(label.front() - 'a' + 'A');
    out.Field(level, label, ScalarText(source[field]));
  }
}

void DescribeKnown(Description& out, int level, const Source& known, const json::Value& source) {
  out.Field(level, "Type", known.type);
  for (const Part& part : known.parts) {
    if (part.none == nullptr) {
      out.FieldIfAny(level, part.label, ScalarText(source[part.name]));
    } else {
      out.Field(level, part.label, ScalarText(source[part.name], part.none));
    }
  }
  if (source["driver"].is_string()) DescribeAttributes(out, level, source["volumeAttributes"]);
}

}  // namespace

void DescribeVolumeSource(Description& out, int level, const std::string& name,
                          const json::Value& source) {
  const std::vector<Source>& known = KnownSources();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Source& one) { return one.name == name; });
  if (name == "projected") {
    DescribeProjected(out, level, source);
  } else if (name == "downwardAPI") {
    DescribeDownward(out, level, source);
  } else if (found == known.end()) {
    DescribeOther(out, level, name, source);
  } else {
    DescribeKnown(out, level, *found, source);
  }
}

void DescribeVolumes(Description& out, int level, const json::Value& spec) {
  if (spec["volumes"].size() == 0) {
    out.Field(level, "Volumes", "<none>");
    return;
  }
  out.Title(level, "Volumes");
  for (const json::Value& volume : spec["volumes"].items()) {
    out.Title(1, (level == 0 ? "" : " ") + volume["name"].StringOrEmpty());
    for (const auto& [name, source] : volume.members()) {
      if (name != "name") DescribeVolumeSource(out, 2, name, source);
    }
  }
}

}  // namespace kinformer::cli
