# Shared by the scripts in this folder: sourced with $bin, the folder of the command, and $t, a
# folder of one's own.

export HOME=$t NO_COLOR=1
unset KUBECONFIG KUBERNETES_SERVICE_HOST
failed=0
k=$bin/kinformer

fail() {
  printf 'FAIL %s\n' "$1"
  failed=1
}

# expect STATUS PATTERN COMMAND...: the exit status, and an extended regular expression that some
# line of the output matches.
expect() {
  local want=$1 pattern=$2 out status=0
  shift 2
  out=$(timeout 30 "$@" 2>&1) || status=$?
  if [ "$status" -eq "$want" ] && grep -qE -- "$pattern" <<<"$out"; then
    printf 'ok   %s\n' "${*#"$bin"/}"
  else
    fail "$*: status $status (not $want), or no line matches \"$pattern\" in:
$(sed 's/^/  | /' <<<"$out")"
  fi
}
# expect_error STATUS PATTERN COMMAND...: the same, and the output is one line that begins with
# "error: ".
expect_error() {
  local out
  expect "$@"
  shift 2
  out=$(timeout 30 "$@" 2>&1)
  if [ "$(wc -l <<<"$out")" -ne 1 ] || [[ $out != "error: "* ]]; then
    printf 'FAIL %s: not one line of error but:\n%s\n' "$*" "$(sed 's/^/  | /' <<<"$out")"
    failed=1
  fi
}
# wait_for FILE PATTERN
wait_for() {
  for _ in $(seq 300); do
    grep -qE -- "$2" "$1" 2>/dev/null && { printf 'ok   %s\n' "$2"; return; }
    sleep 0.05
  done
  printf 'FAIL no line matches "%s" in:\n%s\n' "$2" "$(sed 's/^/  | /' "$1")"
  failed=1
}
# background OUT ERR COMMAND...: starts a command whose output goes to files; ERR may be "&1". They
# are empty when it returns: the command itself may begin later, and a wait would find what another
# one has written there.
background() {
  local out=$1 err=$2
  shift 2
  : >"$out"
  if [ "$err" = "&1" ]; then
    "$@" <&0 >"$out" 2>&1 &
  else
    : >"$err"
    "$@" <&0 >"$out" 2>"$err" &
  fi
}
start_server() {  # LOG KUBECONFIG OPTIONS...
  local log=$1 kubeconfig=$2
  shift 2
  rm -f "$kubeconfig"
  background "$log" "&1" "$k" apiserver --listen 127.0.0.1:0 --kubeconfig-out "$kubeconfig" "$@"
  started=$!
  for _ in $(seq 300); do
    [ -s "$kubeconfig" ] && return
    kill -0 "$started" 2>/dev/null || break
    sleep 0.05
  done
  cat "$log"
  exit 1
}
# request METHOD PATH [BODY [TYPE]]: one request over plain HTTP; prints the status line.
request() {
  local body=${3:-}
  exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
  {
    printf '%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n' "$1" "$2"
    printf 'Content-Type: %s\r\nContent-Length: %s\r\n\r\n%s' \
      "${4:-application/json}" "${#body}" "$body"
  } >&3
  head -n 1 <&3
  exec 3>&-
}
