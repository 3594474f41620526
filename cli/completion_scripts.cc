#include "cli/completion_scripts.h"

namespace kinformer::cli {
namespace {

constexpr std::string_view kBash =
    R"script(# Completion of kinformer for bash. Try it: source <(kinformer completion bash)
_kinformer() {
  local line=${COMP_LINE:0:COMP_POINT} words=() answer current head word
  COMPREPLY=()
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  current=${words[${#words[@]}-1]}
  answer=$("${COMP_WORDS[0]/#\~/$HOME}" __complete "${words[@]:1}" 2>/dev/null) || return
  # bash replaces what stands behind the last character that breaks words.
  head=
  [[ $COMP_WORDBREAKS == *=* && $current == *=* ]] && head=${current%"${current##*=}"}
  [[ $COMP_WORDBREAKS == *:* && $current == *:* ]] && head=${current%"${current##*:}"}
  case ${answer##*$'\n'} in
    :files) compopt -o default -o filenames; return ;;
    :nospace) compopt -o nospace ;;
  esac
  while IFS=$'\t' read -r word _; do
    [[ $word == :* ]] || COMPREPLY+=("${word#"$head"}")
  done <<<"$answer"
}
complete -F _kinformer kinformer
)script";

constexpr std::string_view kZsh = R"script(#compdef kinformer
# Completion of kinformer for zsh. Try it: source <(kinformer completion zsh)
_kinformer() {
  local -a lines candidates tail
  local line word help
  lines=("${(@f)$(${(Q)~words[1]} __complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  case $lines[-1] in
    :files) _files; return ;;
    :nospace) tail=(-S '') ;;
  esac
  for line in $lines[1,-2]; do
    word=${line%%$'\t'*}
    help=${line#$word}
    candidates+=("${word//:/\\:}${help:+:${help#$'\t'}}")
  done
  _describe -t words 'kinformer' candidates $tail
}
compdef _kinformer kinformer
)script";

constexpr std::string_view kFish =
    R"script(# Completion of kinformer for fish. Try it: kinformer completion fish | source
function __kinformer_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l lines ($program __complete $words "$current" 2>/dev/null)
    switch "$lines[-1]"
        case ':files'
            __fish_complete_path "$current"
        case '*'
            set -e lines[-1]
            printf '%s\n' $lines
    end
end
complete -c kinformer -f -a '(__kinformer_complete)'
)script";

}  // namespace

std::string_view CompletionScript(std::string_view shell) {
  if (shell == "bash") return kBash;
  if (shell == "zsh") return kZsh;
  if (shell == "fish") return kFish;
  return {};
}

}  // namespace kinformer::cli
