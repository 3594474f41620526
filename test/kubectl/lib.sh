# What the scripts of this folder share. Sourced, not run.

# find_kubectls [DIR...]: every kubectl.1.NN on PATH, beside the machine's kubectl and in the
# folders, oldest first. A plain `kubectl` only picks one of them on some machines.
find_kubectls() {
  local plain dirs d k
  plain=$(command -v kubectl) && plain=$(readlink -f "$plain")
  IFS=: read -ra dirs <<<"$PATH"
  for d in "${dirs[@]}" "$(dirname "${plain:-/}")" "$@"; do
    for k in "$d"/kubectl.1.[0-9]*; do [ -x "$k" ] && readlink -f "$k"; done
  done | sort -u
}

# What differs from run to run: times and ages, and of two servers uids, versions and addresses.
alike() {
  sed -E \
    -e 's/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/UID/g' \
    -e 's/([rR]esourceVersion"?: *"?|Resource Version: +|resourceVersion=)[0-9]+/\1RV/g' \
    -e 's/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z/TIME/g' \
    -e 's/(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} [+-][0-9]{4}/'\
'TIME/g' \
    -e 's#https?://(127\.0\.0\.1|localhost|192\.0\.2\.1):[0-9]+#SERVER#g' \
    -e 's/(^|[ (])<?([0-9]+[dhms]){1,2}>?([) ]|$)/\1AGE\3/g' -e 's/<invalid>/AGE/g' \
    -e 's/\b10\.(0|9[0-9]|1[0-9]{2})\.[0-9]+\.[0-9]+\b/CLUSTER-IP/g' \
    -e 's/(Server Version: version\.Info\{Major:"1", Minor:"[0-9]+").*/\1/' \
    -e 's/(Server Version: v1\.[0-9]+)\.[0-9]+/\1/' \
    -e 's#/tmp/[^ ]*/(LIVE|MERGED)-[0-9]+#\1#g' \
    -e 's/^[EWI][0-9]{4} [0-9:.]+ +[0-9]+ //' \
    -e 's/  +/  /g' -e 's/ +$//'
}
