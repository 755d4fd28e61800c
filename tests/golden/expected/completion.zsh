#compdef assay
# Completion of assay for zsh, made by `assay completion zsh`.
_assay() {
  if (( CURRENT == 2 )); then
    local -a commands=(
      'check:replay a recorded run on a reference framework and judge every output'
      'compare:compare two result tables, two runs or two dumps'
      'merge:join the results of a sharded check'
      'perturb:repeat recorded calls on changed inputs and rank the operators by instability'
      'watch:run a training job and check its operators while it runs'
      'report:write a run'\''s report again, in any format, or show it while it goes on'
      'plugins:list, show and validate plugins'
      'explain:say what a reason code means and what to do'
      'completion:print the completion of a shell'
      'man:print a manual page, or write all of them'
    )
    _describe -t commands 'command of assay' commands
    return
  fi
  local command=$words[2]
  shift words; (( CURRENT-- ))
  if [[ $command == plugins && $words[2] == validate ]] && (( CURRENT > 2 )); then
    command='plugins validate'; shift words; (( CURRENT-- ))
  fi
  case $command in
    'check')
      _arguments -s \
        '--config[pipeline configuration, merged over the shipped one]:FILE:_files' \
        '--out[folder for the results]:DIR:_files -/' \
        '--resume[as --out, and go on with what an earlier run did there]:DIR:_files -/' \
        '--target[what is tested\: recorded, torch, mint, or a component id]:NAME:(recorded torch mint)' \
        '--reference[the adapter that is trusted (torch)]:NAME:(torch mint)' \
        '--precision[of the reference\: as-recorded, float32 or float64]:P:(as-recorded float32 float64)' \
        '--standard[rules of judgement\: assay, msprobe-mint, ..., or a file]:NAME:(assay msprobe-mint msprobe-torch-2026-04 msprobe-torch-2026-08)' \
        '--inputs[inputs made from statistics\: assay or msprobe]:RULE:(assay msprobe)' \
        '*--api[check only these (globs; Functional.linear or Functional.linear.3) and show both sides]:NAME: ' \
        '*--filter[as --api, without showing both sides]:NAME: ' \
        '*--skip[leave these out (globs)]:NAME: ' \
        '--only-from[as --filter, from a file with a name or glob a line]:FILE:_files' \
        '--skip-from[as --skip, from a file]:FILE:_files' \
        '--dedup[check calls with the same API, shapes, dtypes and plain arguments once]' \
        '--sample[at most N calls of each API, chosen by the seed]:N: ' \
        '--save-failures[keep calls with errors, of at most this size each, in DIR/failures\: recordings that `assay check` replays]:SIZE: ' \
        '--shard[the K-th of N parts of about the same cost; `assay merge` joins them]:K/N: ' \
        '*--format[further files to write\: junit, md, msprobe (repeat for several); csv, html and jsonl are always written]:F:(csv junit md msprobe)' \
        '--baseline[results of an earlier run\: the report says what changed]:DIR:_files -/' \
        '--step[which step*/ below DUMP]:N: ' \
        '--rank[which rank*/ below DUMP]:N: ' \
        '--seed[seed of made inputs and random operators]:N: ' \
        '--threads[threads of the comparisons]:N: ' \
        '*--plugin-path[look for plugins here first]:DIR:_files -/' \
        '--print-config[print the merged configuration and stop]' \
        '--quiet[say nothing unless something fails]' \
        '-q[say nothing unless something fails]' \
        '--no-color[no colours]' \
        '--jobs[worker processes (1); 0 runs everything in this process, for debuggers]:N: ' \
        '-j[worker processes (1); 0 runs everything in this process, for debuggers]:N: ' \
        '--timeout[limit for one direction of one call (300; more for large ones)]:SECONDS: ' \
        '--memory[what the calls of one worker may allocate\: 512M, 4G (no limit)]:SIZE: ' \
        '--devices[accelerators, shared out among the workers]:ID,...: ' \
        '--max-time[stop after this time with what is done; --resume goes on]:SECONDS: ' \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:dump:_files'
      ;;
    'compare')
      _arguments -s \
        '--config[pipeline configuration, merged over the shipped one]:FILE:_files' \
        '--out[folder for the results]:DIR:_files -/' \
        '--standard[tables\: msprobe-2026-04, msprobe-2026-08 or a file; dumps\: as in assay check]:NAME:(msprobe-2026-04 msprobe-2026-08)' \
        '--factor[an error counts as grown or shrunk from this factor on (2)]:X: ' \
        '*--api[compare only these (globs); dumps\: show both sides]:NAME: ' \
        '*--skip[leave these out (globs)]:NAME: ' \
        '*--format[further files\: msprobe (the two files of api_precision_compare; tables only), junit and md (dumps only)]:F:(csv junit md msprobe)' \
        '--step[dumps\: which step*/ below both]:N: ' \
        '--rank[dumps\: which rank*/ below both]:N: ' \
        '--threads[dumps\: threads of the comparisons]:N: ' \
        '*--plugin-path[look for plugins here first]:DIR:_files -/' \
        '--print-config[print the merged configuration and stop]' \
        '--quiet[say nothing unless something is worse]' \
        '-q[say nothing unless something is worse]' \
        '--no-color[no colours]' \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:tested:_files'
      ;;
    'merge')
      _arguments -s \
        '--out[folder for the results]:DIR:_files -/' \
        '*--format[files to write besides\: msprobe]:F:(csv junit md msprobe)' \
        '--quiet[say nothing unless something fails]' \
        '-q[say nothing unless something fails]' \
        '--no-color[no colours]' \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:folder:_files'
      ;;
    'perturb')
      _arguments -s \
        '--config[configuration, merged over the shipped one]:FILE:_files' \
        '--out[folder for the results]:DIR:_files -/' \
        '--engine[the adapter that runs the operators (torch)]:NAME:(torch mint)' \
        '--precision[of the engine\: as-recorded, float32 or float64]:P:(as-recorded float32 float64)' \
        '*--perturbation[perturb with these only (add-noise, ...; repeat for several)]:NAME:(add-noise bit-noise change-value improve-precision no-change to-cpu)' \
        '--inputs[perturb each input in turn, the first, or all at once]:WHICH:(each first all)' \
        '--stage[forward, backward or both]:S:(forward backward both)' \
        '--seeds[runs for each perturbation\: mean and spread]:N: ' \
        '--handler[check, fix or preheat]:H:(check fix preheat)' \
        '--compat[msprobe\: perturb and compare as it does]:TOOL:(msprobe)' \
        '--stability[table of expected amplifications, or a file]:NAME: ' \
        '--made-inputs[inputs made from statistics\: assay or msprobe]:RULE:(assay msprobe)' \
        '*--api[only these (globs; Functional.linear or Functional.linear.3)]:NAME: ' \
        '*--skip[leave these out (globs)]:NAME: ' \
        '*--format[files to write\: csv, msprobe (repeat for several)]:F:(csv msprobe)' \
        '--step[which step*/ below DUMP]:N: ' \
        '--rank[which rank*/ below DUMP]:N: ' \
        '--seed[seed of perturbations, made inputs and random operators]:N: ' \
        '--threads[threads of the perturbations]:N: ' \
        '*--plugin-path[look for plugins here first]:DIR:_files -/' \
        '--print-config[print the merged configuration and stop]' \
        '--quiet[say nothing unless an operator is unstable]' \
        '-q[say nothing unless an operator is unstable]' \
        '--no-color[no colours]' \
        '--jobs[worker processes (1); 0 runs everything in this process, for debuggers]:N: ' \
        '-j[worker processes (1); 0 runs everything in this process, for debuggers]:N: ' \
        '--timeout[limit for one direction of one call (300; more for large ones)]:SECONDS: ' \
        '--memory[what the calls of one worker may allocate\: 512M, 4G (no limit)]:SIZE: ' \
        '--devices[accelerators, shared out among the workers]:ID,...: ' \
        '--max-time[stop after this time with what is done; --resume goes on]:SECONDS: ' \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:dump:_files'
      ;;
    'watch')
      _arguments -s \
        '--config[configuration, merged over the shipped one; or msprobe'\''s config.json]:FILE:_files' \
        '--out[folder for the results]:DIR:_files -/' \
        '--budget[of a step'\''s time, such as 5%; none\: check everything (10%)]:SHARE: ' \
        '--stage[forward, backward or both]:S:(forward backward both)' \
        '--handler[check, fix or preheat]:H:(check fix preheat)' \
        '*--perturbation[perturb with these only (add-noise, ...; repeat for several)]:NAME:(add-noise bit-noise change-value improve-precision no-change to-cpu)' \
        '--inputs[first, rotate, each or all]:WHICH:(first rotate each all)' \
        '*--api[only these (globs; Functional.linear, Functional.linear.3, aten\:\:mm)]:NAME: ' \
        '*--skip[leave these out (globs)]:NAME: ' \
        '*--module[only inside these modules (globs; layers.0.*)]:NAME: ' \
        '--rows[findings or all]:WHICH:(findings all)' \
        '*--format[files to write\: csv, jsonl, msprobe (repeat for several)]:F:(csv jsonl msprobe)' \
        '--from[when the watch starts\: optimizer (the first is made) or import (of torch)]:WHEN:(optimizer import)' \
        '--preload[CMD is a C++ program on the LibTorch that assay is built for; the whole run is one step unless it counts them]' \
        '--setup[build the watch for the PyTorch of an interpreter, and stop]' \
        '--python[that interpreter]:EXE: ' \
        '--print-config[print the merged configuration and stop]' \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:argument:_files'
      ;;
    'report')
      _arguments -s \
        '*--format[what to write\: html, junit, md, csv, jsonl, msprobe (repeat for several)]:F:(html junit md csv jsonl msprobe)' \
        '--out[folder to write into (DIR)]:DIR:_files -/' \
        '--baseline[results of an earlier run\: show what changed]:DIR:_files -/' \
        '--open[show the page in a browser]' \
        '--serve[show the run on 127.0.0.1 while it goes on, until Ctrl-C]' \
        '--port[of --serve; 0\: any free one]:N: ' \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:folder:_files'
      ;;
    'plugins')
      _arguments -s \
        '*--plugin-path[look for plugins here first]:DIR:_files -/' \
        '--json[machine-readable output]' \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:action:(list show validate)'
      ;;
    'plugins validate')
      _arguments -s \
        '--include[only the checks whose id matches]:RE: ' \
        '--exclude[not the checks whose id matches]:RE: ' \
        '--config[configuration of the components]:JSON: ' \
        '--json[write the results as JSON, too]:FILE:_files' \
        '--only-failed[show only what failed or crashed]' \
        '--in-process[run the checks here, for a debugger\: a crash ends the run]' \
        '--timeout[seconds for each check]:S: ' \
        '--jobs[checks at the same time]:N: ' \
        '-j[checks at the same time]:N: ' \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:plugin:_files'
      ;;
    'explain')
      _arguments -s \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:code:{compadd -- ${(f)"$(assay explain 2>/dev/null | cut -d" " -f1)"}}'
      ;;
    'completion')
      _arguments -s \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:shell:(bash zsh)'
      ;;
    'man')
      _arguments -s \
        '--out[write every page into this folder]:DIR:_files -/' \
        '--help[show this text]' \
        '-h[show this text]' \
        '*:command:(check compare merge perturb watch report plugins explain completion man)'
      ;;
  esac
}
compdef _assay assay
