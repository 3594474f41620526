// apiserver/builtin/plugin_names.h
//
// Names of the admission plug-ins of kube-apiserver, as its flags --enable-admission-plugins and
// --disable-admission-plugins have them, and which of them this server has.

#ifndef KINFORMER_APISERVER_BUILTIN_PLUGIN_NAMES_H_
#define KINFORMER_APISERVER_BUILTIN_PLUGIN_NAMES_H_

#include <cstdint>
#include <string_view>

#include "kinformer/apiserver/api_server_options.h"

namespace kinformer::apiserver {

enum class PluginKind : std::uint8_t {
  kUnknown,   // kube-apiserver has none of that name
  kMissing,   // kube-apiserver has it, this server does not
  kFixed,     // part of this server, which cannot do without it
  kUsual,     // on unless it is disabled
  kOptional,  // off unless it is enabled
};

[[nodiscard]] PluginKind KindOfPlugin(std::string_view name);
// Returns whether the plug-in runs. A name that is both enabled and disabled is disabled.
[[nodiscard]] bool IsPluginOn(const ApiServerOptions& options, std::string_view name);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_BUILTIN_PLUGIN_NAMES_H_
