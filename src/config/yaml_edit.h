// config/yaml_edit.h
//
// Changes a YAML file in place.

#ifndef KINFORMER_CONFIG_YAML_EDIT_H_
#define KINFORMER_CONFIG_YAML_EDIT_H_

#include <string>
#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::internal::config {

// Returns `text`, which reads as `before`, with those lines changed that are needed for it to read
// as `after`: other lines, their order and their comments stay. A text that cannot be changed so
// (flow style around a change, anchors) is written anew; one in JSON stays JSON.
std::string EditYaml(std::string_view text, const json::Value& before, const json::Value& after);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_YAML_EDIT_H_
