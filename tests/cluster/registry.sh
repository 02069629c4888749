# The clusters of this user: a directory with one file per cluster, which `launch` keeps for its head. The directory exists
# only as long as a cluster does.

registry=${XDG_RUNTIME_DIR:-/tmp}/cppc-cluster-$EUID

# The directory itself is what is locked; it may be removed while we wait for it.
lock_registry() {
  while true; do
    (umask 077 && mkdir "$registry" 2>/dev/null) || [[ -e $registry || -w ${registry%/*} ]] ||
      fail 1 "cannot make $registry: set XDG_RUNTIME_DIR to a directory of yours"
    if { exec {registry_lock}<"$registry"; } 2>/dev/null; then
      flock "$registry_lock"
      [[ ! $registry -ef /proc/self/fd/$registry_lock ]] || break
      exec {registry_lock}<&-
    fi
    [[ ! -e $registry || -O $registry ]] || break
  done
  [[ -O $registry ]] || fail 1 "$registry belongs to somebody else: set XDG_RUNTIME_DIR to a directory of yours"
}

unlock_registry() {
  [[ $(ls "$registry") ]] || put_autogroups_back
  rmdir --ignore-fail-on-non-empty "$registry"
  exec {registry_lock}<&-
}

# With autogroups the scheduler shares the processors out among sessions, and every node is one: where ranks outnumber
# processors, one that waits by polling can keep another from running for minutes. So there are none while a cluster is up,
# if we may say so: the setting is the whole machine's.
autogroups=/proc/sys/kernel/sched_autogroup_enabled

switch_autogroups_off() {  # with the registry locked
  [[ $(cat $autogroups 2>/dev/null) == 1 && ! -e $registry/.autogroups ]] || return 0
  echo 1 >"$registry/.autogroups"
  { echo 0 >$autogroups; } 2>/dev/null || rm "$registry/.autogroups"
}

put_autogroups_back() {  # with the registry locked
  [[ -e $registry/.autogroups ]] || return 0
  cat "$registry/.autogroups" >$autogroups || echo "cluster: cannot write $autogroups, which was 1" >&2
  rm "$registry/.autogroups"
}

remove_ended_clusters() {  # with the registry locked
  local file
  for file in "$registry"/*; do
    [[ ! -e $file ]] || ! flock --nonblock "$file" true || rm "$file"
  done
}

cluster_names() {
  local file
  lock_registry
  remove_ended_clusters
  for file in "$registry"/*; do
    [[ ! -e $file ]] || ! is_running "$file" || echo "${file##*/}"
  done
  unlock_registry
}

claim_name() {  # sets name, unless it was given
  name=${name:-$(printf 'cluster-%08x' "$SRANDOM")}
  lock_registry
  remove_ended_clusters
  claim "$registry/$name"
  switch_autogroups_off
  unlock_registry
}

choose_cluster() {  # sets name, unless it was given
  local names
  names=($(cluster_names))
  name=${name:-${CPPC_CLUSTER-}}
  if [[ $name ]]; then
    [[ " ${names[*]-} " == *" $name "* ]] || fail 255 "no cluster '$name' is up (see cluster list)"
    return
  fi
  ((${#names[@]} > 0)) || fail 255 "no cluster is up (start one: cluster up 3)"
  ((${#names[@]} == 1)) || fail 255 "which one? --name or \$CPPC_CLUSTER, one of: ${names[*]}"
  name=${names[0]}
}

head_pid() { cat "$registry/$name"; }

exec_in_head() {  # exec_in_head [FLAG...] COMMAND...
  local flags=()
  ((EUID == 0)) || flags=(--user --preserve-credentials)
  exec_in "$(head_pid)" "${flags[@]}" "$@"
}

kill_cluster() {
  is_running "$registry/$name" && kill_launched "$registry/$name"
  lock_registry
  rm -f "$registry/$name"
  unlock_registry
}
