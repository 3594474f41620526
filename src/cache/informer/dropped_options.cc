#include "cache/informer/dropped_options.h"

namespace kinformer::internal::cache {

std::vector<std::string_view> DroppedOptions(const InformerSettings& asked,
                                             const InformerSettings& given) {
  static const InformerSettings* const kDefault = new InformerSettings;
  std::vector<std::string_view> dropped;
  const auto compare = [&](std::string_view option, auto InformerSettings::* member) {
    if (asked.*member != (*kDefault).*member && asked.*member != given.*member) {
      dropped.push_back(option);
    }
  };
  using S = InformerSettings;
  compare("name", &S::name);
  compare("resync_period", &S::resync_period);
  compare("initial_list", &S::initial_list);
  compare("uid_change_is_update", &S::uid_change_is_update);
  compare("watch_list_page_size", &S::watch_list_page_size);
  compare("min_watch_timeout", &S::min_watch_timeout);
  compare("max_queued_bytes", &S::max_queued_bytes);
  compare("validation", &S::validation);
  compare("max_object_bytes", &S::max_object_bytes);
  compare("compression", &S::compression);
  compare("max_objects", &S::max_objects);
  compare("max_bytes", &S::max_bytes);
  compare("limit_policy", &S::limit_policy);
  compare("consistency_check_period", &S::consistency_check_period);
  compare("relist_period", &S::relist_period);
  compare("absent_is_empty", &S::absent_is_empty);
  // Functions cannot be compared.
  if (asked.trace && !given.trace) dropped.push_back("trace");
  return dropped;
}

}  // namespace kinformer::internal::cache
