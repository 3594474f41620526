// kinformer/webhook/user_info.h
//
// UserInfo: identity of a user, in questions to webhooks and their answers.

#ifndef KINFORMER_WEBHOOK_USER_INFO_H_
#define KINFORMER_WEBHOOK_USER_INFO_H_

#include <map>
#include <string>
#include <vector>

namespace kinformer::authentication {

// Identity of a user. A plain value. Counterpart: authentication/v1 UserInfo.
struct UserInfo {
  std::string username{};
  std::string uid{};
  std::vector<std::string> groups{};
  std::map<std::string, std::vector<std::string>> extra{};
  bool operator==(const UserInfo&) const = default;
};

}  // namespace kinformer::authentication

#endif  // KINFORMER_WEBHOOK_USER_INFO_H_
