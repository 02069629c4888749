# Sets of namespaces: starting one, what it sees, entering one.

head_files=/tmp/.cppc-cluster  # in the head only: its configuration, and per node a file that `launch` keeps

fail() {  # fail STATUS MESSAGE
  echo "cluster: $2" >&2
  exit "$1"
}

# Files of that name may be anybody's: these count only if they are ours and this is the head that they were written in.
in_head() { [[ -O $head_files/config && $(<"$head_files/namespace") == "$(readlink /proc/self/ns/pid)" ]]; }

check_tools() {
  local tool
  PATH+=:/usr/sbin:/sbin  # where tc is, and where not everybody looks
  for tool in unshare:util-linux nsenter:util-linux setsid:util-linux flock:util-linux mount:mount hostname:hostname \
    ip:iproute2 tc:iproute2; do
    command -v "${tool%:*}" >/dev/null || fail 1 "${tool%:*} is missing: install the package ${tool#*:}"
  done
}

# Sets user_namespace to the flags of unshare that a user other than root needs.
check_may_create_namespaces() {
  local reason remedy='run as root, or where user namespaces are allowed'
  user_namespace=()
  ((EUID == 0)) || user_namespace=(--map-root-user)
  reason=$(unshare "${user_namespace[@]}" --net --uts --ipc --pid --fork --mount-proc true 2>&1) && return
  if ((EUID == 0)); then
    remedy='in a container, run it privileged (capability SYS_ADMIN)'
  elif [[ $(cat /proc/sys/user/max_user_namespaces 2>/dev/null) == 0 ]]; then
    remedy='run as root, or have it allowed: sysctl -w user.max_user_namespaces=10000'
  elif [[ $(cat /proc/sys/kernel/unprivileged_userns_clone 2>/dev/null) == 0 ]]; then
    remedy='run as root, or have it allowed: sysctl -w kernel.unprivileged_userns_clone=1'
  elif [[ $(cat /proc/sys/kernel/apparmor_restrict_unprivileged_userns 2>/dev/null) == 1 ]]; then
    remedy='run as root, or have it allowed: sysctl -w kernel.apparmor_restrict_unprivileged_userns=0'
  fi
  fail 1 "user $(id -un) may not create namespaces (${reason//$'\n'/; }): $remedy"
}

close_descriptors_except() {  # except 0-2 and the NUMBERs given
  local path descriptor
  for path in /proc/self/fd/*; do
    descriptor=${path##*/}
    ((descriptor <= 2)) || [[ " $* " == *" $descriptor "* ]] || exec {descriptor}>&-
  done
}

claim() {  # claim FILE: locks FILE, for `launch` to use
  exec {claimed}>>"$1"
  # Not at once: is_running, called by somebody else, has it for a moment.
  flock --timeout 2 "$claimed" || fail 1 "${1##*/} is on already"
}

# launch FILE DESCRIPTORS [FLAG...] COMMAND...
# Starts COMMAND as process 1 of new namespaces, outside of this session; it inherits DESCRIPTORS and no others. Waits until
# it has printed "ready PID"; whatever else it prints before are errors. From then on the claimed FILE holds PID, and FILE
# stays locked until everything in the namespaces has ended.
launch() {
  local file=$1 descriptors=$2 output line pid=''
  exec {output}< <(
    close_descriptors_except "$claimed" $descriptors
    exec setsid --fork unshare --net --uts --ipc --mount --pid --fork --kill-child "${@:3}" </dev/null 2>&1)
  while read -r -u "$output" line; do
    if [[ $line == ready\ * ]]; then pid=${line#ready }; break; fi
    echo "${file##*/}: $line" >&2
  done
  [[ $pid ]] || fail 1 "${file##*/} could not be started"
  echo "$pid" >"$file"
  exec {claimed}>&- {output}<&-
}

is_running() { [[ -s $1 ]] && ! flock --shared --nonblock "$1" true; }  # is_running FILE

kill_launched() {  # kill_launched FILE: process 1 goes, so the kernel kills all that is in its namespaces
  kill -KILL "$(<"$1")"
  flock --timeout 60 "$1" true || fail 1 "${1##*/} has processes left a minute after SIGKILL"
}

# Makes this mount namespace's /proc, /sys, /dev/shm and /tmp its own, except for DIRs.
own_mounts() {  # own_mounts DIR...
  local dir descriptor
  local -A shared=()
  for dir in "$@"; do
    [[ $dir == /tmp/* || $dir == /dev/shm/* ]] || continue
    exec {descriptor}<"$dir"
    shared[$dir]=$descriptor
  done
  mount -t proc proc /proc
  mount -t sysfs sysfs /sys  # its class/net lists the network interfaces; UCX looks there
  mount -t tmpfs -o mode=1777,size=256m tmpfs /dev/shm
  mount -t tmpfs -o mode=1777 tmpfs /tmp
  for dir in "${!shared[@]}"; do
    mkdir -p "$dir"
    mount --no-canonicalize --rbind "/proc/self/fd/${shared[$dir]}" "$dir"
    descriptor=${shared[$dir]}
    exec {descriptor}<&-
  done
}

check_directory() {  # check_directory NODE PID DIR: NODE, whose process 1 is PID, has DIR
  [[ -d /proc/$2/root$3 ]] || fail 255 "$1 has no directory $3; if it is to see yours, give cluster up --share"
}

exec_in() {  # exec_in PID [FLAG...] COMMAND...
  exec nsenter --target "$1" --net --uts --ipc --mount --pid "${@:2}"
}
