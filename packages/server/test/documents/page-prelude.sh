# Replaces tools of a reader's machine by functions that report to the test what they received.

set -euo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
# A small machine has no program `kill`, but the shell does.
trap 'for job in $(jobs -p); do kill "$job" 2>/dev/null || true; done' EXIT

node() { "$PAGE_NODE" "$@"; }

if command -v curl >/dev/null; then
  real_curl() { command curl "$@"; }
else
  real_curl() { node "$PAGE_PROGRAMS/../start/curl-stand-in.ts" "$@"; }
fi

# As curl does; the status of each response is kept for `expect_responses`. A 503 of a busy machine is
# retried.
curl() {
  local response
  response=$(real_curl --retry 10 "$@" -w '\n%{http_code}')
  echo "${response##*$'\n'} curl $*" >>"$PAGE_STATUSES"
  printf '%s' "${response%$'\n'*}"
}

# Ends a block: a response of 400 and above is one that the block names, in a comment for example.
expect_responses() {
  local status call
  touch "$PAGE_STATUSES"
  while read -r status call; do
    if [ "$status" -ge 400 ] && [[ " $* " != *" $status "* ]]; then
      echo "responded with $status: $call" >&2
      return 1
    fi
  done <"$PAGE_STATUSES"
  rm "$PAGE_STATUSES"
}

# What `npm ci` installs, from the checkout of the test: its own packages are those of the folder.
link_installed() {
  [ ! -e node_modules ] || return 0
  mkdir node_modules
  cp -a "$PAGE_ROOT"/node_modules/{.bin,opentill,@opentill} node_modules/
  local each
  for each in "$PAGE_ROOT"/node_modules/*; do [ -e "node_modules/${each##*/}" ] || ln -s "$each" node_modules/; done
  for each in "$PAGE_ROOT"/packages/*/node_modules; do ln -s "$each" "packages/$(basename "${each%/*}")/"; done
}

# The server of the pages runs already. With settings of its own, `npm start` is one more, which is stopped again.
npm() {
  case "$*" in
    ci | test) ;;
    '--prefix '*' ci') (cd "$2" && link_installed && command npm run --silent prepare) ;;
    start)
      if env | grep --quiet -E '^(OPENTILL_|DATABASE_URL)'; then
        node "$PAGE_PROGRAMS/start-once.ts"
      else
        real_curl --silent --write-out ' %{http_code}' "$PAGE_OPERATOR_URL/health/ready" | grep --quiet ' 200$'
      fi
      ;;
    'run '*) grep --quiet "^    \"$2\": " "$PAGE_ROOT/package.json" ;;
    'install '*) for name in "${@:2}"; do [ "${name#-}" != "$name" ] || [ -e "$PAGE_INSTALLED/node_modules/$name" ]; done ;;
    *) return 1 ;;
  esac
}

# What it runs are commands that the page has told before.
.ci/run() { [ -x "$PAGE_ROOT/.ci/run" ]; }

run_program() { node "$PAGE_PROGRAMS/run-program.ts" "$1"; }

# `opentill serve --demo` is like `npm start`. A command that speaks with a server speaks with that of the pages, where its
# reader's would be at the default port.
npx() {
  [ "$1" != --yes ] || shift
  # In the background, where it is one process.
  if [ "$1" = node ]; then
    exec "$PAGE_NODE" "${@:2}"
  fi
  if [ "$*" = 'opentill serve --demo' ]; then
    npm start
    return
  fi
  local program="$PAGE_INSTALLED/node_modules/.bin/$1"
  case "$2 ${3-}" in
    'event follow' | listen*) set -- "$1" "$program" "${@:2}" && program="$PAGE_PROGRAMS/follow-once.ts" ;;
  esac
  OPENTILL_OPERATOR_PORT=${OPENTILL_OPERATOR_PORT:-${PAGE_OPERATOR_URL##*:}} node "$program" "${@:2}"
}

# A clone is a copy of the checkout of the test, with what is not committed.
git() {
  case "$*" in
    '-C '*'/opentill pull') ;;
    'clone '*)
      mkdir -p "${!#}"
      (cd "$PAGE_ROOT" && command git ls-files --cached --others --exclude-standard | xargs cp --parents -t "${!#}")
      ;;
    *) return 1 ;;
  esac
}

useradd() { [ "$*" = '--system opentill' ]; }

# The group is that of the user above.
install() { [ "${*:1:4}" = '-m 640 -g opentill' ] && command install -m 640 "${@:5}"; }

# The unit of packaging/opentill.service, with the settings of the page; `stop` finds nothing running.
systemctl() {
  case "$*" in
    'enable --now opentill' | 'start opentill' | 'restart opentill')
      node "$PAGE_PROGRAMS/start-once.ts" "$PAGE_STATE/etc/systemd/system/opentill.service"
      ;;
    'stop opentill') ;;
    *) return 1 ;;
  esac
}

psql() { node "$PAGE_PROGRAMS/run-sql.ts" "$@"; }
