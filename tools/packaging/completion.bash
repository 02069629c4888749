# The options of CPPC Live's commands, as their --help has them. bash-completion loads this by the command's name.
complete -F _longopt cppc-agent cppc-c++ cppc-cc cppc-fc cppc-health cppc-image cppc-keeper cppc-launch cppc-run migrate
