#compdef cppc-agent cppc-c++ cppc-cc cppc-fc cppc-health cppc-image cppc-keeper cppc-launch cppc-run migrate
# The options of CPPC Live's commands, as their --help has them.
_gnu_generic "$@"
