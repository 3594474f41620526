// Documents of discovery, as a server or a damaged file may have them.

#include <string>
#include <utility>

#include "kinformer/client/rest_mapper.h"
#include "kinformer/json/json.h"

#include "client/discovery_documents.h"
#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {
namespace {

namespace documents = internal::client;

std::string Names(const documents::ApiGroupVersions& groups) {
  std::string out;
  for (const ApiGroupVersion& version : groups) {
    out += version.groupVersion() + (version.preferred ? "*" : "") + " ";
    for (const ApiResource& resource : version.resources) {
      out += resource.resource.resource + "=" + resource.kind + " ";
      for (const ApiSubresource& part : resource.subresources) {
        out += "/" + part.name + "=" + part.kind.apiVersion() + " " + part.kind.kind + " ";
      }
    }
  }
  return out;
}

void RequirePlain(const documents::ApiGroupVersions& groups) {
  for (const ApiGroupVersion& version : groups) {
    Require(version.group.empty() || documents::IsPlainName(version.group), "a group has a name",
            version.group);
    Require(documents::IsPlainName(version.version), "a version has a name", version.version);
    for (const ApiResource& resource : version.resources) {
      Require(documents::IsPlainName(resource.resource.resource), "a resource has a name",
              resource.resource.resource);
      Require(documents::IsPlainName(resource.kind), "a kind has a name", resource.kind);
    }
  }
}

// A document that is written to a file is read from it unchanged.
void RequireSameFromFiles(const documents::ApiGroupVersions& groups) {
  for (const ApiGroupVersion& version : groups) {
    ApiGroupVersion again;
    again.group = version.group;
    again.version = version.version;
    again.preferred = version.preferred;
    const json::Value list = json::Parse(documents::ResourceListOf(version).Dump()).OrExit();
    Require(documents::FillFromResourceList(list, again).ok(), "a list that was written is read");
    ApiGroupVersion twice = again;
    twice.resources.clear();
    const json::Value second = json::Parse(documents::ResourceListOf(again).Dump()).OrExit();
    Require(documents::FillFromResourceList(second, twice).ok(), "a list that was written is read");
    RequireEqual(Names({again}), Names({twice}), "resources from a file");
  }
  documents::ApiGroupVersions again;
  const json::Value list = json::Parse(documents::GroupListOf(groups).Dump()).OrExit();
  Require(documents::AddGroupList(list, again).ok(), "a list of groups that was written is read");
  Require(again.size() == groups.size(), "no version is lost");
}

}  // namespace

void FuzzDiscovery(std::string_view input) {
  const Result<json::Value> document = json::Parse(input);
  if (!document) return;
  documents::ApiGroupVersions groups;
  (void)documents::AddAggregated(*document, groups);
  (void)documents::AddCoreVersions(*document, groups);
  (void)documents::AddGroupList(*document, groups);
  ApiGroupVersion plain;
  plain.group = "plain.example.com";
  plain.version = "v1";
  plain.preferred = true;
  (void)documents::FillFromResourceList(*document, plain);
  groups.push_back(std::move(plain));
  RequirePlain(groups);
  RequireSameFromFiles(groups);
  for (const ApiGroup& group : documents::GroupsOf(groups)) {
    Require(!group.versions.empty() && !group.preferredVersion.empty(), "a group has a version");
  }
  const documents::ApiGroupVersions preferred = documents::PreferredOf(groups);
  Require(preferred.size() <= groups.size(), "preferred resources are some of all");
  const RestMapper mapper(groups);
  for (const ApiGroupVersion& version : groups) {
    for (const ApiResource& resource : version.resources) {
      Require(mapper.MappingFor(resource.resource).ok(), "a resource is found by its name");
      Require(mapper.RESTMapping({version.group, resource.kind}).ok(), "a kind is found");
      break;
    }
  }
  (void)documents::ReadOpenApiPaths(*document);
}

}  // namespace kinformer::fuzz
