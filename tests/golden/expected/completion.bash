# Completion of assay for bash, made by `assay completion bash`.
_assay() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W 'check compare merge perturb watch report plugins explain completion man --help --version' -- "$cur")); return; fi
  if [[ $command == plugins && ${COMP_WORDS[2]} == validate ]] && ((COMP_CWORD > 2)); then command='plugins validate'; fi
  case $command in
    'check')
      case $prev in
        --config) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
        --out) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --resume) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --target) COMPREPLY=($(compgen -W 'recorded torch mint' -- "$cur")); return ;;
        --reference) COMPREPLY=($(compgen -W 'torch mint' -- "$cur")); return ;;
        --precision) COMPREPLY=($(compgen -W 'as-recorded float32 float64' -- "$cur")); return ;;
        --standard) COMPREPLY=($(compgen -W 'assay msprobe-mint msprobe-torch-2026-04 msprobe-torch-2026-08' -- "$cur")); return ;;
        --inputs) COMPREPLY=($(compgen -W 'assay msprobe' -- "$cur")); return ;;
        --api) COMPREPLY=(); return ;;
        --filter) COMPREPLY=(); return ;;
        --skip) COMPREPLY=(); return ;;
        --only-from) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
        --skip-from) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
        --sample) COMPREPLY=(); return ;;
        --save-failures) COMPREPLY=(); return ;;
        --shard) COMPREPLY=(); return ;;
        --format) COMPREPLY=($(compgen -W 'csv junit md msprobe' -- "$cur")); return ;;
        --baseline) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --step) COMPREPLY=(); return ;;
        --rank) COMPREPLY=(); return ;;
        --seed) COMPREPLY=(); return ;;
        --threads) COMPREPLY=(); return ;;
        --plugin-path) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --jobs|-j) COMPREPLY=(); return ;;
        --timeout) COMPREPLY=(); return ;;
        --memory) COMPREPLY=(); return ;;
        --devices) COMPREPLY=(); return ;;
        --max-time) COMPREPLY=(); return ;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--config --out --resume --target --reference --precision --standard --inputs --api --filter --skip --only-from --skip-from --dedup --sample --save-failures --shard --format --baseline --step --rank --seed --threads --plugin-path --print-config --quiet -q --no-color --jobs -j --timeout --memory --devices --max-time --help -h' -- "$cur")); return; fi
      compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))
      ;;
    'compare')
      case $prev in
        --config) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
        --out) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --standard) COMPREPLY=($(compgen -W 'msprobe-2026-04 msprobe-2026-08' -- "$cur")); return ;;
        --factor) COMPREPLY=(); return ;;
        --api) COMPREPLY=(); return ;;
        --skip) COMPREPLY=(); return ;;
        --format) COMPREPLY=($(compgen -W 'csv junit md msprobe' -- "$cur")); return ;;
        --step) COMPREPLY=(); return ;;
        --rank) COMPREPLY=(); return ;;
        --threads) COMPREPLY=(); return ;;
        --plugin-path) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--config --out --standard --factor --api --skip --format --step --rank --threads --plugin-path --print-config --quiet -q --no-color --help -h' -- "$cur")); return; fi
      compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))
      ;;
    'merge')
      case $prev in
        --out) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --format) COMPREPLY=($(compgen -W 'csv junit md msprobe' -- "$cur")); return ;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--out --format --quiet -q --no-color --help -h' -- "$cur")); return; fi
      compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))
      ;;
    'perturb')
      case $prev in
        --config) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
        --out) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --engine) COMPREPLY=($(compgen -W 'torch mint' -- "$cur")); return ;;
        --precision) COMPREPLY=($(compgen -W 'as-recorded float32 float64' -- "$cur")); return ;;
        --perturbation) COMPREPLY=($(compgen -W 'add-noise bit-noise change-value improve-precision no-change to-cpu' -- "$cur")); return ;;
        --inputs) COMPREPLY=($(compgen -W 'each first all' -- "$cur")); return ;;
        --stage) COMPREPLY=($(compgen -W 'forward backward both' -- "$cur")); return ;;
        --seeds) COMPREPLY=(); return ;;
        --handler) COMPREPLY=($(compgen -W 'check fix preheat' -- "$cur")); return ;;
        --compat) COMPREPLY=($(compgen -W 'msprobe' -- "$cur")); return ;;
        --stability) COMPREPLY=(); return ;;
        --made-inputs) COMPREPLY=($(compgen -W 'assay msprobe' -- "$cur")); return ;;
        --api) COMPREPLY=(); return ;;
        --skip) COMPREPLY=(); return ;;
        --format) COMPREPLY=($(compgen -W 'csv msprobe' -- "$cur")); return ;;
        --step) COMPREPLY=(); return ;;
        --rank) COMPREPLY=(); return ;;
        --seed) COMPREPLY=(); return ;;
        --threads) COMPREPLY=(); return ;;
        --plugin-path) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --jobs|-j) COMPREPLY=(); return ;;
        --timeout) COMPREPLY=(); return ;;
        --memory) COMPREPLY=(); return ;;
        --devices) COMPREPLY=(); return ;;
        --max-time) COMPREPLY=(); return ;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--config --out --engine --precision --perturbation --inputs --stage --seeds --handler --compat --stability --made-inputs --api --skip --format --step --rank --seed --threads --plugin-path --print-config --quiet -q --no-color --jobs -j --timeout --memory --devices --max-time --help -h' -- "$cur")); return; fi
      compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))
      ;;
    'watch')
      case $prev in
        --config) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
        --out) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --budget) COMPREPLY=(); return ;;
        --stage) COMPREPLY=($(compgen -W 'forward backward both' -- "$cur")); return ;;
        --handler) COMPREPLY=($(compgen -W 'check fix preheat' -- "$cur")); return ;;
        --perturbation) COMPREPLY=($(compgen -W 'add-noise bit-noise change-value improve-precision no-change to-cpu' -- "$cur")); return ;;
        --inputs) COMPREPLY=($(compgen -W 'first rotate each all' -- "$cur")); return ;;
        --api) COMPREPLY=(); return ;;
        --skip) COMPREPLY=(); return ;;
        --module) COMPREPLY=(); return ;;
        --rows) COMPREPLY=($(compgen -W 'findings all' -- "$cur")); return ;;
        --format) COMPREPLY=($(compgen -W 'csv jsonl msprobe' -- "$cur")); return ;;
        --from) COMPREPLY=($(compgen -W 'optimizer import' -- "$cur")); return ;;
        --python) COMPREPLY=(); return ;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--config --out --budget --stage --handler --perturbation --inputs --api --skip --module --rows --format --from --preload --setup --python --print-config --help -h' -- "$cur")); return; fi
      compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))
      ;;
    'report')
      case $prev in
        --format) COMPREPLY=($(compgen -W 'html junit md csv jsonl msprobe' -- "$cur")); return ;;
        --out) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --baseline) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
        --port) COMPREPLY=(); return ;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--format --out --baseline --open --serve --port --help -h' -- "$cur")); return; fi
      compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))
      ;;
    'plugins')
      case $prev in
        --plugin-path) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--plugin-path --json --help -h' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'list show validate' -- "$cur"))
      ;;
    'plugins validate')
      case $prev in
        --include) COMPREPLY=(); return ;;
        --exclude) COMPREPLY=(); return ;;
        --config) COMPREPLY=(); return ;;
        --json) compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur")); return ;;
        --timeout) COMPREPLY=(); return ;;
        --jobs|-j) COMPREPLY=(); return ;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--include --exclude --config --json --only-failed --in-process --timeout --jobs -j --help -h' -- "$cur")); return; fi
      compopt -o filenames; COMPREPLY=($(compgen -f -- "$cur"))
      ;;
    'explain')
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--help -h' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W "$(assay explain 2>/dev/null | cut -d' ' -f1)" -- "$cur"))
      ;;
    'completion')
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--help -h' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'bash zsh' -- "$cur"))
      ;;
    'man')
      case $prev in
        --out) compopt -o filenames; COMPREPLY=($(compgen -d -- "$cur")); return ;;
      esac
      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '--out --help -h' -- "$cur")); return; fi
      COMPREPLY=($(compgen -W 'check compare merge perturb watch report plugins explain completion man' -- "$cur"))
      ;;
  esac
}
complete -F _assay assay
