# The cluster's network, as seen from the head: its bridge, and a virtual cable from there to each node. A cable's ends are
# the interface named after the node in the head and eth0 in the node.

max_nodes=250

address() {  # address NODE|head
  if [[ $1 == head ]]; then echo 10.77.0.254; else echo "10.77.0.$((${1#node} + 1))"; fi
}

# Fixed, so that the others' address tables stay right when a node comes back.
mac_address() { printf '02:00:0a:4d:00:%02x' "$(address "$1" | cut -d. -f4)"; }

node_names() { seq -f node%g 0 $((nodes - 1)); }

hosts_file() {
  local node
  printf '127.0.0.1 localhost\n::1 localhost\n'
  for node in head $(node_names); do echo "$(address "$node") $node"; done
}

# The head's interface to the network is the bridge itself; it is named as the nodes' are, so that one setting fits all.
make_bridge() {
  ip link set lo up
  ip link add eth0 address "$(mac_address head)" type bridge
  ip address add "$(address head)/24" dev eth0
  ip link set eth0 up
}

connect() {  # connect NODE PID: PID is node's process 1
  ip link add "$1" type veth peer name eth0 address "$(mac_address "$1")" netns "$2"
  ip link set "$1" master eth0 up
  shape "$1"
  nsenter --target "$2" --net bash -euo pipefail -c '
    source "$0/namespaces.sh"
    source "$0/network.sh"
    bandwidth=$2 latency=$3
    ip link set lo up
    ip address add "$(address "$1")/24" dev eth0
    ip link set eth0 up
    shape eth0' "$here" "$1" "$bandwidth" "$latency"
}

# The bridge lets nothing through between two isolated ports.
isolate() { bridge link set dev "$1" isolated "$2"; }  # isolate NODE on|off

disconnect() {  # disconnect NODE: after its namespaces have ended, which removes the cable some time
  while ip link show "$1" &>/dev/null; do ip link delete "$1" 2>/dev/null || sleep 0.01; done
}

# Limits what leaves through INTERFACE; done at both ends of a cable it limits both ways.
shape() {  # shape INTERFACE
  local parent=root
  if [[ $latency ]]; then
    add_discipline "$1" --latency "$parent" 1: netem delay "$(half "$latency")" limit 100000
    parent='parent 1:1'
  fi
  if [[ $bandwidth ]]; then
    add_discipline "$1" --bandwidth "$parent" 2: tbf rate "$bandwidth" burst "$(burst "$bandwidth")" latency 20ms
  fi
}

add_discipline() {  # add_discipline INTERFACE OPTION PARENT HANDLE KIND PARAMETER...
  local errors
  errors=$(tc qdisc add dev "$1" $3 handle "$4" "${@:5}" 2>&1) && return
  [[ $errors != *'qdisc kind is unknown'* ]] ||
    fail 1 "$2 needs sch_$5, which this kernel does not have (CONFIG_NET_SCH_${5^^}, or the module is not installed)"
  fail 1 "$2 cannot be set on $1: ${errors//$'\n'/; }"
}

# What an idle link lets through at once, in bytes: a millisecond's worth, else timer jitter costs throughput (10gbit: 20 %
# with a tenth of that); at least two packets as big as the kernel makes them, else it would cut them up.
burst() {  # burst RATE
  local number=${1%%[a-z]*} bytes
  case $1 in
    *kbit) bytes=$((number / 8)) ;;
    *mbit) bytes=$((number * 1000 / 8)) ;;
    *gbit) bytes=$((number * 1000000 / 8)) ;;
  esac
  echo $((bytes > 131072 ? bytes : 131072))
}

half() {  # half TIME
  local unit=${1##*[0-9]} number=${1%%[a-z]*}
  echo "$((number / 2)).$((number % 2 * 5))$unit"
}
