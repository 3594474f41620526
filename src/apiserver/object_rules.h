// apiserver/object_rules.h
//
// What the server demands of metadata.

#ifndef KINFORMER_SRC_APISERVER_OBJECT_RULES_H_
#define KINFORMER_SRC_APISERVER_OBJECT_RULES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/error.h"
#include "kinformer/json.h"
#include "kinformer/result.h"

#include "apiserver/served_resource.h"

namespace kinformer::apiserver {

// The rule that the name breaks; empty if none.
std::string BrokenRule(NameRule rule, std::string_view name);
// What kinds and the names of their versions are, and the rule that others break.
bool IsDns1035Label(std::string_view text);
inline constexpr std::string_view kDns1035LabelText =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
std::string LowerCase(std::string_view text);

// Whether a body says the name that the URL says; and no other namespace than it, where it says one.
Result<void> CheckSentName(const json::Value& metadata, std::string_view name);
Result<void> CheckSentNamespace(const json::Value& metadata, std::string_view namespace_);

// What is wrong with the metadata of an object that is to be stored; empty: nothing.
std::vector<StatusCause> ValidateMetadata(const ServedResource& resource,
                                          const json::Value& metadata);

// What is wrong with the deletionTimestamp and grace period that a writer sends: only deletes set them. Those of an object that is
// being deleted stay as they are, whatever is sent.
std::vector<StatusCause> ValidateDeletion(const json::Value& old_metadata,
                                          const json::Value& metadata);

// Takes empty maps and lists out of metadata, which are the same as absent ones.
void TidyMetadata(json::Value& metadata);

// The label by which namespaces can be selected by name.
void SetNamespaceLabel(json::Value& object);

// "2023-11-14T22:13:20Z".
std::string FormatTime(WallTime time);

// A random UUID, version 4.
std::string NewUid(Env& env);

// "job-" + five letters; the prefix is cut so that the whole fits a label.
std::string GenerateName(Env& env, std::string_view prefix);

// metadata.generation of an object that is written over `old`.
std::int64_t NextGeneration(const ServedResource& resource, const json::Value& old,
                            const json::Value& object);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_SRC_APISERVER_OBJECT_RULES_H_
