# Nodes, as seen from the head.

node_pid() { cat "$head_files/$1"; }

node_is_on() { is_running "$head_files/$1"; }

check_node() {
  [[ $1 =~ ^node(0|[1-9][0-9]{0,2})$ ]] && ((BASH_REMATCH[1] < nodes)) ||
    fail 255 "there is no $1 in cluster $name (nodes: node0 to node$((nodes - 1)))"
}

exec_in_node() {  # exec_in_node NODE [FLAG...] COMMAND...
  exec_in "$(node_pid "$1")" "${@:2}"
}

node_on() {
  claim "$head_files/$1"
  launch "$head_files/$1" '' bash "$here/node_init" "$1" "${shares[@]}"
  connect "$1" "$(node_pid "$1")"
}

node_cut() {
  node_is_on "$1" || fail 1 "$1 is off"
  isolate "$1" on
}

node_heal() {
  node_is_on "$1" || fail 1 "$1 is off"
  isolate "$1" off
}

node_off() {
  node_is_on "$1" || fail 1 "$1 is off already"
  ip link set "$1" down
  kill_launched "$head_files/$1"
  disconnect "$1"
}
